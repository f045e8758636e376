/** French. */
import type { SubscriptionTexts } from "./SubscriptionTexts.ts"

export const fr: SubscriptionTexts = {
  subscribe: "S’abonner",
  subscribeTo: (page) => `Recevoir les actualités de ${page}`,
  email: "Adresse e-mail",
  checkMail: "Consultez votre messagerie : un lien y confirme l’abonnement.",
  mailCaptured:
    "Cette page ne peut pas encore envoyer d’e-mails ; aucune confirmation n’a été envoyée. Prévenez son responsable ou suivez le flux.",
  confirmTitle: (page) => `Confirmez votre abonnement à ${page}`,
  confirmText: "Vous recevrez un e-mail pour chaque incident et chaque maintenance.",
  confirm: "Confirmer l’abonnement",
  confirmed: "Vous êtes abonné.",
  ignore: "Si vous n’avez rien demandé, ignorez cet e-mail. Le lien expire dans 24 heures.",
  manage: "Gérer l’abonnement",
  unsubscribe: "Se désabonner",
  unsubscribeFrom: (page) => `Se désabonner de ${page} ?`,
  unsubscribed: "Vous êtes désabonné et ne recevrez plus d’e-mails.",
  why: (page) => `Vous recevez cet e-mail car vous êtes abonné à ${page}.`,
  invalidLink: "Ce lien n’est pas valide ou a expiré.",
  checkAddress: "Vérifiez l’adresse : elle manque ou ne peut pas être utilisée.",
  notTaken: "Cette page ne peut pas accepter cet abonnement pour le moment.",
  how: "Comment vous joindre",
  byEmail: "E-mail",
  webhookUrl: "URL du webhook",
  incomingWebhook: (service) => `Collez l’URL d’un webhook entrant de ${service}.`,
  webhookHint: "Nous envoyons un défi à l’URL, qui doit le renvoyer.",
  components: "Composants",
  noneIsAll: "Ne choisissez rien pour tout recevoir.",
  signingSecret: "Clé de signature. Elle n’est affichée qu’une fois.",
  close: "Fermer",
  followFeed: "Ou suivez le flux",
  save: "Enregistrer",
  saved: "Enregistré.",
  viewPage: "Voir la page de statut"
}
