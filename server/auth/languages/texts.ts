import type { OidcProblem } from '../../../routers/auth/oidc.operation.ts';
import type { PasswordProblem } from '../../../routers/auth/passwords.ts';
import type { SignInMethod } from '../../../schema/enums.ts';

type Plain =
  | 'signIn'
  | 'signOut'
  | 'signedOut'
  | 'email'
  | 'password'
  | 'newPassword'
  | 'currentPassword'
  | 'passwordHint'
  | 'forgotten'
  | 'forgottenTitle'
  | 'forgottenIntro'
  | 'sendLink'
  | 'linkSent'
  | 'noMail'
  | 'setPassword'
  | 'passwordSaved'
  | 'linkExpired'
  | 'linkExpiredHint'
  | 'inviteExpired'
  | 'inviteExpiredHint'
  | 'haveAccount'
  | 'createAccount'
  | 'notYourAddress'
  | 'name'
  | 'verifyTitle'
  | 'verifyIntro'
  | 'verify'
  | 'verified'
  | 'verifyOtherAccount'
  | 'startTitle'
  | 'yourSites'
  | 'startIntro'
  | 'firstSteps'
  | 'noOrganizations'
  | 'noSites'
  | 'notPublished'
  | 'preview'
  | 'apiOnlyTitle'
  | 'apiOnly'
  | 'showOverApi'
  | 'apiReference'
  | 'account'
  | 'profile'
  | 'save'
  | 'saved'
  | 'isVerified'
  | 'isNotVerified'
  | 'sendVerification'
  | 'verificationSent'
  | 'sessions'
  | 'sessionsIntro'
  | 'unknownDevice'
  | 'thisSession'
  | 'lastSeen'
  | 'end'
  | 'endOthers'
  | 'sessionEnded'
  | 'sessionsEnded'
  | 'tokens'
  | 'tokensIntro'
  | 'noTokens'
  | 'tokenName'
  | 'readOnly'
  | 'expires'
  | 'expiresNever'
  | 'createToken'
  | 'newToken'
  | 'tokenReads'
  | 'tokenWrites'
  | 'until'
  | 'revoke'
  | 'tokenRevoked'
  | 'changePassword'
  | 'createPassword'
  | 'wrongCredentials'
  | 'wrongCurrent'
  | 'tooBusy'
  | 'formExpired'
  | 'notEmail'
  | 'emailTaken'
  | 'nameMissing'
  | 'tokenNameMissing'
  | 'failed'
  | 'secondFactor'
  | 'secondFactorIntro'
  | 'secondFactorOn'
  | 'secondFactorOff'
  | 'secondFactorRequired'
  | 'secondFactorPasskey'
  | 'setUpApp'
  | 'setUpAppIntro'
  | 'qrCode'
  | 'secretByHand'
  | 'code'
  | 'codeHint'
  | 'firstCodeHint'
  | 'wrongCode'
  | 'continue'
  | 'recoveryCodes'
  | 'recoveryCodesIntro'
  | 'newRecoveryCodes'
  | 'turnOff'
  | 'passkeys'
  | 'passkeysIntro'
  | 'passkeySignIn'
  | 'passkeyFailed'
  | 'passkeyKnown'
  | 'passkeyName'
  | 'addPasskey'
  | 'passkeyAdded'
  | 'passkeyRemoved'
  | 'scriptNeeded'
  | 'rename'
  | 'remove'
  | 'lastUsed'
  | 'neverUsed'
  | 'identities'
  | 'identitiesIntro'
  | 'identityRemoved'
  | 'signInExpired';

interface MailTexts {
  subject: string;
  intro: string;
  outro: string;
}

/** The texts of pages and mails in one language. */
export interface Texts extends Record<Plain, string> {
  /** The first steps of a new installation, of which the first is to sign in. */
  steps: readonly [signIn: string, ...rest: string[]];
  invitedTo(organization: string): string;
  acceptAs(name: string): string;
  days(count: number): string;
  recoveryCodesLeft(count: number): string;
  signInWith(provider: string): string;
  providerUnavailable(provider: string): string;
  tooManyAttempts: (minutes: number) => string;
  oidcProblems: Record<OidcProblem, (provider: string) => string>;
  passwordProblems: Record<PasswordProblem, string>;
  methods: Record<SignInMethod, string>;
  mails: {
    reset: MailTexts;
    verification: MailTexts;
    invite: {
      subject(organization: string): string;
      intro(organization: string): string;
      outro(until: string): string;
    };
  };
}
