/** The attributes of the elements of an HTML table. */

import { type AttributeRule, exactly, flag, oneOf, optional, textual } from '../html/attribute-rules.ts';

/** Written without a value. GitBook also writes `false`, which is the same as no attribute. */
const PRESENCE: Record<string, true | null> = { '': true, true: true, false: null };

/** An attribute that counts by its presence. */
const presence = (name: string, field: string): AttributeRule => ({
  name,
  field,
  read: (text) => (Object.hasOwn(PRESENCE, text) ? PRESENCE[text] : undefined),
  write: (value) => value === true,
});

const FULL_WIDTH = flag('data-full-width', 'fullWidth');

/** The attributes of a grid, which map to the data of the table. */
export const GRID_ATTRIBUTES: readonly AttributeRule[] = [
  presence('data-header-hidden', 'view.hideHeader'),
  FULL_WIDTH,
];
export const CARDS_ATTRIBUTES: readonly AttributeRule[] = [
  presence('data-column-title-hidden', 'view.hideColumnTitle'),
  {
    ...oneOf('data-card-size', 'view.cardSize', ['medium', 'large']),
    write: (size) => (size === 'large' ? size : undefined),
  },
  exactly('data-view', 'cards'),
  FULL_WIDTH,
];

const ALIGN: AttributeRule = {
  ...oneOf('align', 'textAlignment', ['left', 'center', 'right']),
  write: (align) => (align === 'center' || align === 'right' ? align : undefined),
};
const VALIGN = oneOf('valign', 'verticalAlignment', ['top', 'middle', 'bottom']);

/** The fields of a view that name the column with a role on cards. */
export const CARD_FIELDS = ['targetDefinition', 'coverDefinition', 'coverDefinitionDark'] as const;

/** The attributes of a column's heading. `isHidden`, the width and the roles on cards are stored in the view. */
export const HEADING_ATTRIBUTES: readonly AttributeRule[] = [
  { ...textual('width', 'width'), write: (width) => (typeof width === 'number' ? width : undefined) },
  ALIGN,
  VALIGN,
  presence('data-hidden', 'isHidden'),
  presence('data-card-target', 'targetDefinition'),
  presence('data-card-cover', 'coverDefinition'),
  presence('data-card-cover-dark', 'coverDefinitionDark'),
  {
    ...textual('data-type', 'type'),
    write: (type) => (typeof type === 'string' && type !== 'text' ? type : undefined),
  },
  presence('data-multiple', 'multiple'),
  {
    name: 'data-max',
    field: 'max',
    read: (text) => (/^[1-9]\d{0,2}$/.test(text) ? Number(text) : undefined),
    write: (max) => (typeof max === 'number' ? max : undefined),
  },
];

/** The attributes of a cell; alignment is that of the column. */
export const CELL_ATTRIBUTES: readonly AttributeRule[] = [
  ALIGN,
  VALIGN,
  textual('data-object-fit', 'objectFit'),
];

/** The attributes of an option in the heading of a select column. */
export const OPTION_ATTRIBUTES: readonly AttributeRule[] = [
  textual('value', 'value', { isRequired: true }),
  textual('label', 'label'),
  {
    ...optional('color', 'color'),
    write: (color) => (typeof color === 'string' && color ? color : undefined),
  },
];
