/** Spanish. */
import type { SubscriptionTexts } from "./SubscriptionTexts.ts"

export const es: SubscriptionTexts = {
  subscribe: "Suscribirse",
  subscribeTo: (page) => `Recibir avisos de ${page}`,
  email: "Correo electrónico",
  checkMail: "Revise su correo: un enlace confirma la suscripción.",
  mailCaptured:
    "Esta página aún no puede enviar correo, así que no se envió la confirmación. Avise al responsable o siga el feed.",
  confirmTitle: (page) => `Confirme su suscripción a ${page}`,
  confirmText: "Recibirá un correo por cada incidencia y mantenimiento.",
  confirm: "Confirmar suscripción",
  confirmed: "Está suscrito.",
  ignore: "Si no lo ha solicitado, ignore este correo. El enlace caduca en 24 horas.",
  manage: "Gestionar suscripción",
  unsubscribe: "Cancelar suscripción",
  unsubscribeFrom: (page) => `¿Cancelar la suscripción a ${page}?`,
  unsubscribed: "Ha cancelado la suscripción y no recibirá más correos.",
  why: (page) => `Recibe este correo porque está suscrito a ${page}.`,
  invalidLink: "Este enlace no es válido o ha caducado.",
  checkAddress: "Compruebe la dirección: falta o no se puede usar.",
  notTaken: "Esta página no puede aceptar esta suscripción por ahora.",
  how: "Cómo avisarle",
  byEmail: "Correo",
  webhookUrl: "URL del webhook",
  incomingWebhook: (service) => `Pegue la URL de un webhook entrante de ${service}.`,
  webhookHint: "Enviamos un desafío a la URL, que debe devolverlo.",
  components: "Componentes",
  noneIsAll: "No elija ninguno para recibirlo todo.",
  signingSecret: "Clave de firma. Solo se muestra una vez.",
  close: "Cerrar",
  followFeed: "O siga el canal",
  save: "Guardar",
  saved: "Guardado.",
  viewPage: "Ver página de estado"
}
