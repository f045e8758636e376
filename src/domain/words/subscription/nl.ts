/** Dutch. */
import type { SubscriptionTexts } from "./SubscriptionTexts.ts"

export const nl: SubscriptionTexts = {
  subscribe: "Abonneren",
  subscribeTo: (page) => `Meldingen van ${page} ontvangen`,
  email: "E-mailadres",
  checkMail: "Bekijk uw e-mail: een link daarin bevestigt het abonnement.",
  mailCaptured:
    "Deze pagina kan nog geen e-mail versturen, dus er is geen bevestiging verstuurd. Laat het de beheerder weten of volg de feed.",
  confirmTitle: (page) => `Bevestig uw abonnement op ${page}`,
  confirmText: "U ontvangt dan een e-mail over elke storing en elk onderhoud.",
  confirm: "Abonnement bevestigen",
  confirmed: "U bent geabonneerd.",
  ignore: "Hebt u dit niet aangevraagd? Negeer dan deze e-mail. De link verloopt na 24 uur.",
  manage: "Abonnement beheren",
  unsubscribe: "Afmelden",
  unsubscribeFrom: (page) => `Afmelden voor ${page}?`,
  unsubscribed: "U bent afgemeld en ontvangt geen e-mails meer.",
  why: (page) => `U ontvangt deze e-mail omdat u op ${page} geabonneerd bent.`,
  invalidLink: "Deze link is ongeldig of verlopen.",
  checkAddress: "Controleer het adres: het ontbreekt of kan niet worden gebruikt.",
  notTaken: "Deze pagina kan dit abonnement op dit moment niet aannemen.",
  how: "Hoe we u bereiken",
  byEmail: "E-mail",
  webhookUrl: "Webhook-URL",
  incomingWebhook: (service) => `Plak de URL van een inkomende webhook van ${service}.`,
  webhookHint: "We sturen een verificatie naar de URL, die haar moet herhalen.",
  components: "Onderdelen",
  noneIsAll: "Kies niets om alles te ontvangen.",
  signingSecret: "Ondertekeningssleutel. Deze wordt maar één keer getoond.",
  close: "Sluiten",
  followFeed: "Of volg de feed",
  save: "Opslaan",
  saved: "Opgeslagen.",
  viewPage: "Statuspagina bekijken"
}
