/** English. */
import type { SubscriptionTexts } from "./SubscriptionTexts.ts"

export const en: SubscriptionTexts = {
  subscribe: "Subscribe",
  subscribeTo: (page) => `Get updates from ${page}`,
  email: "Email address",
  checkMail: "Check your email: a link in it confirms the subscription.",
  confirmTitle: (page) => `Confirm your subscription to ${page}`,
  confirmText: "You then get an email about each incident and maintenance.",
  confirm: "Confirm subscription",
  confirmed: "You are subscribed.",
  ignore: "If you did not ask for this, ignore this email. The link expires in 24 hours.",
  manage: "Manage subscription",
  unsubscribe: "Unsubscribe",
  unsubscribeFrom: (page) => `Unsubscribe from ${page}?`,
  unsubscribed: "You are unsubscribed and get no more emails.",
  why: (page) => `You get this email because you subscribed to ${page}.`,
  invalidLink: "This link is invalid or has expired.",
  how: "How to reach you",
  byEmail: "Email",
  webhookUrl: "Webhook URL",
  incomingWebhook: (service) => `Paste the URL of an incoming webhook of ${service}.`,
  webhookHint: "We send a challenge to the URL, which has to repeat it.",
  components: "Components",
  noneIsAll: "Choose none to hear about everything.",
  signingSecret: "Signing secret. It is shown only once.",
  close: "Close",
  followFeed: "Or follow the feed",
  save: "Save",
  saved: "Saved.",
  viewPage: "View status page"
}
