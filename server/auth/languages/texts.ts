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
  | 'invitationExpired'
  | 'haveAccount'
  | 'createAccount'
  | 'notYourAddress'
  | 'name'
  | 'verifyTitle'
  | 'verifyIntro'
  | 'verify'
  | 'verified'
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
  | 'tooManyAttempts'
  | 'tooBusy'
  | 'formExpired'
  | 'notEmail'
  | 'emailTaken'
  | 'nameMissing'
  | 'tokenNameMissing'
  | 'failed';

interface MailTexts {
  subject: string;
  intro: string;
  outro: string;
}

/** What pages and mails say, in one language. */
export interface Texts extends Record<Plain, string> {
  invitedTo(organization: string): string;
  acceptAs(name: string): string;
  days(count: number): string;
  passwordProblems: Record<PasswordProblem, string>;
  methods: Record<SignInMethod, string>;
  mails: {
    reset: MailTexts;
    verification: MailTexts;
    invitation: {
      subject(organization: string): string;
      intro(organization: string): string;
      outro: string;
    };
  };
}
