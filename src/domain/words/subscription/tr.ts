/** Turkish. */
import type { SubscriptionTexts } from "./SubscriptionTexts.ts"

export const tr: SubscriptionTexts = {
  subscribe: "Abone ol",
  subscribeTo: (page) => `${page} güncellemelerini alın`,
  email: "E-posta adresi",
  checkMail: "E-postanızı kontrol edin: içindeki bağlantı aboneliği onaylar.",
  mailCaptured:
    "Bu sayfa henüz e-posta gönderemiyor, bu yüzden onay gönderilmedi. Sayfanın sahibine bildirin veya akışı takip edin.",
  confirmTitle: (page) => `${page} aboneliğinizi onaylayın`,
  confirmText: "Her olay ve bakım için bir e-posta alırsınız.",
  confirm: "Aboneliği onayla",
  confirmed: "Aboneliğiniz onaylandı.",
  ignore: "Bunu siz istemediyseniz bu e-postayı yok sayın. Bağlantının süresi 24 saat sonra dolar.",
  manage: "Aboneliği yönet",
  unsubscribe: "Abonelikten çık",
  unsubscribeFrom: (page) => `${page} aboneliğinden çıkılsın mı?`,
  unsubscribed: "Abonelikten çıktınız; başka e-posta almayacaksınız.",
  why: (page) => `Bu e-postayı ${page} abonesi olduğunuz için alıyorsunuz.`,
  invalidLink: "Bu bağlantı geçersiz veya süresi dolmuş.",
  checkAddress: "Adresi kontrol edin: eksik veya kullanılamıyor.",
  notTaken: "Bu sayfa şu anda bu aboneliği kabul edemiyor.",
  how: "Size nasıl ulaşalım",
  byEmail: "E-posta",
  webhookUrl: "Webhook URL’si",
  incomingWebhook: (service) => `${service} gelen webhook URL’sini yapıştırın.`,
  webhookHint: "URL’ye bir doğrulama göndeririz; URL onu aynen yanıtlamalıdır.",
  components: "Bileşenler",
  noneIsAll: "Her şeyden haberdar olmak için hiçbirini seçmeyin.",
  signingSecret: "İmza anahtarı. Yalnızca bir kez gösterilir.",
  close: "Kapat",
  followFeed: "Ya da akışı takip edin",
  save: "Kaydet",
  saved: "Kaydedildi.",
  viewPage: "Durum sayfasını görüntüle"
}
