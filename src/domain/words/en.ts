/** The English texts of status pages, which the other languages translate. Figures, dates and durations arrive formatted. */
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { Incident } from "../../../schema/incident/Incident.ts"
import type { SubscriptionKind } from "../../../schema/subscriber/Subscriber.ts"

export const en = {
  /** The status of one component. */
  component: {
    operational: "Operational",
    degraded: "Degraded",
    partial_outage: "Partial outage",
    major_outage: "Major outage",
    maintenance: "Maintenance",
    unknown: "No data"
  } satisfies Record<EffectiveStatus, string>,
  /** The status of the whole page, as its headline. */
  page: {
    operational: "All systems operational",
    degraded: "Degraded performance",
    partial_outage: "Partial outage",
    major_outage: "Major outage",
    maintenance: "Maintenance in progress",
    unknown: "Waiting for data"
  } satisfies Record<EffectiveStatus, string>,
  /** The status of an incident or a maintenance. */
  progress: {
    investigating: "Investigating",
    identified: "Identified",
    monitoring: "Monitoring",
    resolved: "Resolved",
    scheduled: "Scheduled",
    in_progress: "In progress",
    completed: "Completed"
  } satisfies Record<Incident["status"], string>,
  /** One name of several, and how many others there are: titles name no more. */
  andMore: (name: string, more: number) => `${name} and ${more} more`,
  /** The title of an incident that a monitor opened. `isOne` is false for a name with others. */
  isDown: (names: string, isOne: boolean) => `${names} ${isOne ? "is" : "are"} down`,
  /** Notes of automatic incidents. They are stored in English and translated for each visitor. */
  investigating: (names: string) => `We are investigating a problem with ${names}.`,
  investigatingAlone: "We are investigating a problem.",
  affectedToo: (name: string) => `${name} is affected too.`,
  /** A component of the incident fails in another way than before. */
  fails: {
    degraded: (name: string) => `${name} is degraded.`,
    partial_outage: (name: string) => `${name} is partly down.`,
    major_outage: (name: string) => `${name} is down.`
  } satisfies Record<"degraded" | "partial_outage" | "major_outage", (name: string) => string>,
  recovered: (names: string, duration: string) => `${names} recovered after ${duration}.`,
  /** Other components of the same incident still fail. */
  recoveredAlone: (name: string) => `${name} has recovered; the incident is still open.`,
  /** An incident ends without a recovery: its monitor was paused, for example. */
  monitoringEnded: (names: string, duration: string) => `${names}: monitoring ended after ${duration}.`,
  /** Notes of maintenance windows, which remind, start and complete by themselves. */
  maintenanceSoon: (duration: string) => `This maintenance begins in ${duration}.`,
  maintenancePlanned: "This maintenance is planned.",
  maintenanceStarted: "The maintenance has started.",
  maintenanceCompleted: "The maintenance is complete.",
  skipToContent: "Skip to content",
  updated: (time: string) => `Updated ${time}`,
  outOfDate: "This page may be out of date: the latest data is unavailable right now.",
  noComponents: "There is nothing to show yet.",
  services: "Services",
  /** The search of a long page, and its answer if it finds nothing. */
  findService: "Find a service",
  noneFound: "No service has that name.",
  activeIncidents: "Active incidents",
  plannedMaintenance: "Planned maintenance",
  affects: (components: string) => `Affects ${components}`,
  pastIncidents: "Past incidents",
  noIncidents: (days: number) => `No incidents in the last ${days} days.`,
  incidentHistory: "Incident history",
  /** The way back from the history. */
  currentStatus: "Current status",
  noIncidentsIn: (month: string) => `No incidents in ${month}.`,
  resolvedAfter: (duration: string) => `Resolved after ${duration}`,
  uptime: (percent: string) => `${percent} uptime`,
  uptimeHistory: "Uptime history",
  lastDays: (days: number) => `Last ${days} days`,
  today: "Today",
  noData: "No data",
  downFor: (duration: string) => `down for ${duration}`,
  daysWithProblems: (days: string) => `Days with problems: ${days}`,
  responseTimes: "Response time",
  lastHours: (hours: number) => `Last ${hours} hours`,
  /** The response time that half of the checks, and 95% of them, stayed below. */
  median: (time: string) => `Median ${time}`,
  nearlyAll: (time: string) => `95% under ${time}`,
  /** Of a page that asks for a password. */
  passwordTitle: "This page is protected",
  password: "Password",
  openPage: "View status",
  passwordWrong: "That password is wrong.",
  tooManyAttempts: "Too many attempts. Try again later.",
  support: "Get support",
  poweredBy: "Powered by",
  notFoundTitle: "Page not found",
  notFoundText: "There is no status page at this address.",
  missingTitle: "Page not found",
  missingText: "The address is wrong, or what was here has been removed.",
  unavailableTitle: "Temporarily unavailable",
  unavailableText: "The status is unavailable right now. Try again in a few seconds.",
  subscription: {
    subscribe: "Subscribe",
    /** Above the form; `page` is the name of a status page everywhere here. */
    subscribeTo: (page: string) => `Get updates from ${page}`,
    email: "Email address",
    /** After the form: also what a person reads who is subscribed already, so that the form does not tell who is. */
    checkMail: "Check your email: a link in it confirms the subscription.",
    /** Shown instead while no mail server is set. */
    mailCaptured: "This page cannot send email yet, so no confirmation was sent. Tell its owner, or follow the feed.",
    /** In the mail, and on the page that it leads to. */
    confirmTitle: (page: string) => `Confirm your subscription to ${page}`,
    confirmText: "You then get an email about each incident and maintenance.",
    /** The same, of a subscription to some kinds of news, some components or one incident. */
    confirmChosen: "You then get an email about the news that you chose.",
    confirm: "Confirm subscription",
    confirmed: "You are subscribed.",
    ignore: "If you did not ask for this, ignore this email. The link expires in 24 hours.",
    manage: "Manage subscription",
    unsubscribe: "Unsubscribe",
    unsubscribeFrom: (page: string) => `Unsubscribe from ${page}?`,
    unsubscribed: "You are unsubscribed and get no more emails.",
    /** At the end of each mail. */
    why: (page: string) => `You get this email because you subscribed to ${page}.`,
    /** A link that is wrong or has expired. */
    invalidLink: "This link is invalid or has expired.",
    /** The form was sent without an address, or with one that is refused. */
    checkAddress: "Check the address: it is missing or cannot be used.",
    /** The page takes no such subscription: by its settings, or because its workspace may have no more. */
    notTaken: "This page cannot take this subscription right now.",
    /** Above the choice between mail, Slack, Discord and webhooks. */
    how: "How to reach you",
    /** The choice of mail, in a word. */
    byEmail: "Email",
    webhookUrl: "Webhook URL",
    incomingWebhook: (service: string) => `Paste the URL of an incoming webhook of ${service}.`,
    webhookHint: "We send a challenge to the URL, which has to repeat it.",
    /** Above the kinds of news, which are those of SubscriptionKind. */
    aboutWhat: "What to hear about",
    /** Of a subscription to one incident. */
    onlyAbout: (title: string) => `Only about “${title}”, until it is resolved.`,
    kinds: {
      incidents: "Incidents",
      maintenance: "Maintenance",
      postmortems: "Postmortems",
      components: "Status changes"
    } satisfies Record<SubscriptionKind, string>,
    components: "Components",
    /** Below the components: none chosen means all. */
    noneIsAll: "Choose none to hear about everything.",
    signingSecret: "Signing secret. It is shown only once.",
    close: "Close",
    /** Before links to RSS and Atom. */
    followFeed: "Or follow the feed",
    save: "Save",
    saved: "Saved.",
    viewPage: "View status page"
  }
}

export type Words = typeof en
export type SubscriptionWords = Words["subscription"]
