/** Japanese. */
import type { SubscriptionTexts } from "./SubscriptionTexts.ts"

export const ja: SubscriptionTexts = {
  subscribe: "購読する",
  subscribeTo: (page) => `${page} の更新を受け取る`,
  email: "メールアドレス",
  checkMail: "メールを確認してください。メール内のリンクで購読が確定します。",
  mailCaptured:
    "このページはまだメールを送信できないため、確認メールは送信されていません。ページの管理者に連絡するか、フィードを購読してください。",
  confirmTitle: (page) => `${page} の購読を確認してください`,
  confirmText: "インシデントとメンテナンスのたびにメールが届きます。",
  confirm: "購読を確定する",
  confirmed: "購読が確定しました。",
  ignore: "心当たりがない場合は、このメールを無視してください。リンクは24時間で無効になります。",
  manage: "購読を管理",
  unsubscribe: "購読を解除",
  unsubscribeFrom: (page) => `${page} の購読を解除しますか？`,
  unsubscribed: "購読を解除しました。今後メールは届きません。",
  why: (page) => `${page} を購読しているため、このメールをお送りしています。`,
  invalidLink: "このリンクは無効か、期限が切れています。",
  checkAddress: "アドレスを確認してください。入力されていないか、使用できません。",
  notTaken: "このページでは現在、この購読を受け付けられません。",
  how: "通知方法",
  byEmail: "メール",
  webhookUrl: "Webhook URL",
  incomingWebhook: (service) => `${service}の受信Webhook URLを貼り付けてください。`,
  webhookHint: "URLにチャレンジを送信します。同じ値を返してください。",
  components: "コンポーネント",
  noneIsAll: "何も選択しないと、すべての通知を受け取ります。",
  signingSecret: "署名シークレットです。表示されるのは一度だけです。",
  close: "閉じる",
  followFeed: "またはフィードを購読",
  save: "保存",
  saved: "保存しました。",
  viewPage: "ステータスページを見る"
}
