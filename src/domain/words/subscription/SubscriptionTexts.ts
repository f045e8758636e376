/** The texts of subscriptions in one language: forms, mails and confirmations. */

export interface SubscriptionTexts {
  readonly subscribe: string
  /** Above the form; `page` is the name of a status page everywhere here. */
  readonly subscribeTo: (page: string) => string
  readonly email: string
  /** After the form: also what a person reads who is subscribed already, so that the form does not tell who is. */
  readonly checkMail: string
  /** Said instead while no mail server is set. */
  readonly mailCaptured: string
  /** In the mail, and on the page that it leads to. */
  readonly confirmTitle: (page: string) => string
  readonly confirmText: string
  readonly confirm: string
  readonly confirmed: string
  readonly ignore: string
  readonly manage: string
  readonly unsubscribe: string
  readonly unsubscribeFrom: (page: string) => string
  readonly unsubscribed: string
  /** At the end of each mail. */
  readonly why: (page: string) => string
  /** A link that is wrong or has expired. */
  readonly invalidLink: string
  /** The form was sent without an address, or with one that is refused. */
  readonly checkAddress: string
  /** The page takes no such subscription: by its settings, or because its workspace may have no more. */
  readonly notTaken: string
  /** Above the choice between mail, Slack, Discord and webhooks. */
  readonly how: string
  /** The choice of mail, in a word. */
  readonly byEmail: string
  readonly webhookUrl: string
  readonly incomingWebhook: (service: string) => string
  readonly webhookHint: string
  readonly components: string
  /** Below the components: none chosen means all. */
  readonly noneIsAll: string
  readonly signingSecret: string
  readonly close: string
  /** Before links to RSS and Atom. */
  readonly followFeed: string
  readonly save: string
  readonly saved: string
  readonly viewPage: string
}
