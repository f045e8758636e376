/** Italian. */
import type { SubscriptionTexts } from "./SubscriptionTexts.ts"

export const it: SubscriptionTexts = {
  subscribe: "Iscriviti",
  subscribeTo: (page) => `Ricevi gli aggiornamenti di ${page}`,
  email: "Indirizzo email",
  checkMail: "Controlla la posta: un link conferma l’iscrizione.",
  mailCaptured:
    "Questa pagina non può ancora inviare email, quindi non è stata inviata alcuna conferma. Avvisi il gestore o segua il feed.",
  confirmTitle: (page) => `Conferma l’iscrizione a ${page}`,
  confirmText: "Riceverai un’email per ogni incidente e manutenzione.",
  confirm: "Conferma iscrizione",
  confirmed: "Iscrizione confermata.",
  ignore: "Se non l’hai richiesto, ignora questa email. Il link scade tra 24 ore.",
  manage: "Gestisci iscrizione",
  unsubscribe: "Annulla iscrizione",
  unsubscribeFrom: (page) => `Annullare l’iscrizione a ${page}?`,
  unsubscribed: "Iscrizione annullata: non riceverai altre email.",
  why: (page) => `Ricevi questa email perché sei iscritto a ${page}.`,
  invalidLink: "Questo link non è valido o è scaduto.",
  checkAddress: "Controlla l’indirizzo: manca o non può essere usato.",
  notTaken: "Al momento questa pagina non può accettare questa iscrizione.",
  how: "Come avvisarla",
  byEmail: "Email",
  webhookUrl: "URL del webhook",
  incomingWebhook: (service) => `Incolli l’URL di un webhook in ingresso di ${service}.`,
  webhookHint: "Inviamo una richiesta di verifica all’URL, che deve ripeterla.",
  components: "Componenti",
  noneIsAll: "Non ne scelga nessuno per ricevere tutto.",
  signingSecret: "Chiave di firma. Viene mostrata una sola volta.",
  close: "Chiudi",
  followFeed: "Oppure segua il feed",
  save: "Salva",
  saved: "Salvato.",
  viewPage: "Apri la pagina di stato"
}
