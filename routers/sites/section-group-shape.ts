/**
 * What a group of sections contains, as the packed client types it: a recursive type must be an interface, because an
 * alias is expanded in declarations and ends as `any`; and nothing in it is inferred, because that would need zod.
 */

import type { DEFAULT_LEVELS, EDIT_MODES, LANGUAGES, VISIBILITIES } from '../../schema/enums.ts';

export interface SiteSectionGroupShape {
  object: 'site-section-group';
  id: string;
  title: string;
  sectionGroup?: string | undefined;
  icon?: string | undefined;
  sections: SectionShape[];
  children: (SectionShape | SiteSectionGroupShape)[];
}

interface SectionShape {
  object: 'site-section';
  id: string;
  title: string;
  description?: string | undefined;
  default: boolean;
  path: string;
  condition?: string | undefined;
  sectionGroup?: string | undefined;
  icon?: string | undefined;
  siteSpaces: SiteSpaceShape[];
  urls: { published?: string | undefined };
}

interface SiteSpaceShape {
  object: 'site-space';
  id: string;
  path: string;
  section?: string | undefined;
  space: SpaceShape;
  title: string;
  default: boolean;
  condition?: string | undefined;
  hasAdvancedCustomizationFeature: boolean;
  urls: { published?: string | undefined };
}

interface SpaceShape {
  object: 'space';
  id: string;
  title: string;
  emoji: string;
  visibility: (typeof VISIBILITIES)[number];
  createdAt: string;
  updatedAt: string;
  deletedAt?: string | undefined;
  editMode: (typeof EDIT_MODES)[number];
  mergeRules: { type: 'inherit' | 'none' } | { type: 'rules'; rules: MergeRuleShape[] };
  organization: string;
  parent?: string | undefined;
  language?: (typeof LANGUAGES)[number] | undefined;
  revision: string;
  defaultLevel: (typeof DEFAULT_LEVELS)[number] | null;
  comments: number;
  changeRequests: number;
  changeRequestsOpen: number;
  changeRequestsDraft: number;
  urls: { location: string; app: string; published?: string | undefined; icon?: string | undefined };
  permissions: Record<SpacePermission, boolean>;
}

type MergeRuleShape =
  | {
      rule: 'require_specific_reviewers' | 'require_one_of_specific_reviewers' | 'allow_bypass';
      users: string[];
    }
  | {
      rule:
        | 'require_at_least_one_review'
        | 'require_all_reviews_approved'
        | 'require_up_to_date_change_request'
        | 'require_change_request_subject'
        | 'require_change_request_description';
    }
  | { rule: 'custom'; expression: string };

type SpacePermission =
  | 'view'
  | 'access'
  | 'admin'
  | 'viewInviteLinks'
  | 'edit'
  | 'triggerGitSync'
  | 'comment'
  | 'merge'
  | 'review'
  | 'installIntegration';
