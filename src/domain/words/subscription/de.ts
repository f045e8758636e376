/** German. */
import type { SubscriptionTexts } from "./SubscriptionTexts.ts"

export const de: SubscriptionTexts = {
  subscribe: "Abonnieren",
  subscribeTo: (page) => `Meldungen von ${page} erhalten`,
  email: "E-Mail-Adresse",
  checkMail: "Sehen Sie in Ihr Postfach: Ein Link darin bestätigt das Abonnement.",
  mailCaptured:
    "Diese Seite kann noch keine E-Mails senden, daher wurde keine Bestätigung verschickt. Informieren Sie den Betreiber oder abonnieren Sie den Feed.",
  confirmTitle: (page) => `Abonnement von ${page} bestätigen`,
  confirmText: "Sie erhalten dann zu jeder Störung und Wartung eine E-Mail.",
  confirm: "Abonnement bestätigen",
  confirmed: "Sie haben die Meldungen abonniert.",
  ignore: "Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Der Link gilt 24 Stunden.",
  manage: "Abonnement verwalten",
  unsubscribe: "Abmelden",
  unsubscribeFrom: (page) => `Von ${page} abmelden?`,
  unsubscribed: "Sie sind abgemeldet und erhalten keine weiteren E-Mails.",
  why: (page) => `Sie erhalten diese E-Mail, weil Sie ${page} abonniert haben.`,
  invalidLink: "Dieser Link ist ungültig oder abgelaufen.",
  checkAddress: "Prüfen Sie die Adresse: Sie fehlt oder kann nicht verwendet werden.",
  notTaken: "Diese Seite kann dieses Abonnement zurzeit nicht annehmen.",
  how: "Wie wir Sie erreichen",
  byEmail: "E-Mail",
  webhookUrl: "Webhook-URL",
  incomingWebhook: (service) => `Fügen Sie die URL eines eingehenden Webhooks von ${service} ein.`,
  webhookHint: "Wir senden eine Prüffrage an die URL, die sie wiederholen muss.",
  components: "Komponenten",
  noneIsAll: "Wählen Sie nichts aus, um alles zu erfahren.",
  signingSecret: "Signaturschlüssel. Er wird nur einmal angezeigt.",
  close: "Schließen",
  followFeed: "Oder dem Feed folgen",
  save: "Speichern",
  saved: "Gespeichert.",
  viewPage: "Statusseite ansehen"
}
