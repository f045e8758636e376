/** Turkish. */
import type { Words } from "./Words.ts"

export const tr: Words = {
  component: {
    operational: "Çalışıyor",
    degraded: "Yavaşlama",
    partial_outage: "Kısmi kesinti",
    major_outage: "Büyük kesinti",
    maintenance: "Bakım",
    unknown: "Veri yok"
  },
  page: {
    operational: "Tüm sistemler çalışıyor",
    degraded: "Düşük performans",
    partial_outage: "Kısmi kesinti",
    major_outage: "Büyük kesinti",
    maintenance: "Bakım sürüyor",
    unknown: "Veriler bekleniyor"
  },
  progress: {
    investigating: "İnceleniyor",
    identified: "Neden bulundu",
    monitoring: "İzleniyor",
    resolved: "Çözüldü",
    scheduled: "Planlandı",
    in_progress: "Sürüyor",
    completed: "Tamamlandı"
  },
  isDown: (names) => `${names}: kesinti`,
  investigating: (names) => `${names} ile ilgili bir sorunu araştırıyoruz.`,
  affectedToo: (name) => `Etkilenenler arasında artık ${name} de var.`,
  recovered: (names, duration) => `${names}: ${duration} sonra düzeldi.`,
  recoveredAlone: (name) => `${name}: yeniden çalışıyor; olay sürüyor.`,
  maintenanceStarted: "Bakım başladı.",
  maintenanceCompleted: "Bakım tamamlandı.",
  skipToContent: "İçeriğe geç",
  updated: (time) => `Güncellendi: ${time}`,
  outOfDate: "Güncel olmayabilir: en yeni veriler şu anda okunamıyor.",
  noComponents: "Burada henüz bir şey gösterilmiyor.",
  services: "Hizmetler",
  activeIncidents: "Devam eden olaylar",
  plannedMaintenance: "Planlı bakım",
  affects: (components) => `Etkilenen: ${components}`,
  pastIncidents: "Geçmiş olaylar",
  noIncidents: (days) => `Son ${days} günde olay yok.`,
  resolvedAfter: (duration) => `${duration} sonra çözüldü`,
  uptime: (percent) => `Erişilebilirlik ${percent}`,
  uptimeHistory: "Erişilebilirlik geçmişi",
  lastDays: (days) => `Son ${days} gün`,
  today: "Bugün",
  noData: "Veri yok",
  downFor: (duration) => `${duration} kesinti`,
  daysWithProblems: (days) => `Sorunlu gün sayısı: ${days}`,
  support: "Destek al",
  poweredBy: "Altyapı:",
  notFoundTitle: "Burada bir şey yok",
  notFoundText: "Bu adreste bir durum sayfası yok.",
  unavailableTitle: "Birazdan döneceğiz",
  unavailableText: "Durum şu anda okunamıyor. Lütfen birkaç saniye sonra tekrar deneyin."
}
