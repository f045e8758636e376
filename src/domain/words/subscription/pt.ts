/** Portuguese. */
import type { SubscriptionTexts } from "./SubscriptionTexts.ts"

export const pt: SubscriptionTexts = {
  subscribe: "Subscrever",
  subscribeTo: (page) => `Receber avisos de ${page}`,
  email: "Endereço de e-mail",
  checkMail: "Verifique o seu e-mail: uma ligação confirma a subscrição.",
  mailCaptured:
    "Esta página ainda não pode enviar e-mails, por isso não foi enviada qualquer confirmação. Avise o responsável ou siga o feed.",
  confirmTitle: (page) => `Confirme a subscrição de ${page}`,
  confirmText: "Receberá um e-mail por cada incidente e manutenção.",
  confirm: "Confirmar subscrição",
  confirmed: "Subscrição confirmada.",
  ignore: "Se não fez este pedido, ignore este e-mail. A ligação expira em 24 horas.",
  manage: "Gerir subscrição",
  unsubscribe: "Cancelar subscrição",
  unsubscribeFrom: (page) => `Cancelar a subscrição de ${page}?`,
  unsubscribed: "Subscrição cancelada: não receberá mais e-mails.",
  why: (page) => `Recebe este e-mail porque subscreveu ${page}.`,
  invalidLink: "Esta ligação é inválida ou expirou.",
  checkAddress: "Verifique o endereço: está em falta ou não pode ser usado.",
  notTaken: "De momento, esta página não pode aceitar esta subscrição.",
  how: "Como o avisamos",
  byEmail: "E-mail",
  webhookUrl: "URL do webhook",
  incomingWebhook: (service) => `Cole o URL de um webhook de entrada do ${service}.`,
  webhookHint: "Enviamos um desafio ao URL, que tem de o repetir.",
  components: "Componentes",
  noneIsAll: "Não escolha nenhum para receber tudo.",
  signingSecret: "Chave de assinatura. Só é mostrada uma vez.",
  close: "Fechar",
  followFeed: "Ou siga o feed",
  save: "Guardar",
  saved: "Guardado.",
  viewPage: "Ver página de estado"
}
