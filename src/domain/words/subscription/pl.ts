/** Polish. */
import type { SubscriptionTexts } from "./SubscriptionTexts.ts"

export const pl: SubscriptionTexts = {
  subscribe: "Subskrybuj",
  subscribeTo: (page) => `Otrzymuj powiadomienia ze strony ${page}`,
  email: "Adres e-mail",
  checkMail: "Sprawdź pocztę: link w wiadomości potwierdza subskrypcję.",
  mailCaptured:
    "Ta strona nie może jeszcze wysyłać poczty, więc nie wysłano potwierdzenia. Powiadom właściciela strony lub obserwuj kanał.",
  confirmTitle: (page) => `Potwierdź subskrypcję ${page}`,
  confirmText: "Otrzymasz wiadomość o każdym incydencie i pracach serwisowych.",
  confirm: "Potwierdź subskrypcję",
  confirmed: "Subskrypcja jest aktywna.",
  ignore: "Jeśli to nie Twoja prośba, zignoruj tę wiadomość. Link wygasa po 24 godzinach.",
  manage: "Zarządzaj subskrypcją",
  unsubscribe: "Zrezygnuj z subskrypcji",
  unsubscribeFrom: (page) => `Zrezygnować z subskrypcji ${page}?`,
  unsubscribed: "Subskrypcja została anulowana. Nie otrzymasz więcej wiadomości.",
  why: (page) => `Otrzymujesz tę wiadomość, ponieważ subskrybujesz ${page}.`,
  invalidLink: "Ten link jest nieprawidłowy lub wygasł.",
  checkAddress: "Sprawdź adres: brakuje go lub nie można go użyć.",
  notTaken: "Ta strona nie może teraz przyjąć tej subskrypcji.",
  how: "Sposób powiadamiania",
  byEmail: "E-mail",
  webhookUrl: "Adres URL webhooka",
  incomingWebhook: (service) => `Wklej adres URL przychodzącego webhooka ${service}.`,
  webhookHint: "Wysyłamy na ten adres zapytanie, które musi zostać powtórzone.",
  components: "Komponenty",
  noneIsAll: "Nie wybieraj niczego, aby otrzymywać wszystko.",
  signingSecret: "Klucz podpisu. Jest wyświetlany tylko raz.",
  close: "Zamknij",
  followFeed: "Lub śledź kanał",
  save: "Zapisz",
  saved: "Zapisano.",
  viewPage: "Zobacz stronę statusu"
}
