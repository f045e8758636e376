/** Japanese. */
import type { Words } from "./Words.ts"

export const ja: Words = {
  component: {
    operational: "正常",
    degraded: "低下",
    partial_outage: "一部障害",
    major_outage: "重大な障害",
    maintenance: "メンテナンス",
    unknown: "データなし"
  },
  page: {
    operational: "すべてのシステムが正常です",
    degraded: "パフォーマンスが低下しています",
    partial_outage: "一部で障害が発生しています",
    major_outage: "重大な障害が発生しています",
    maintenance: "メンテナンス中です",
    unknown: "データを待っています"
  },
  progress: {
    investigating: "調査中",
    identified: "原因を特定",
    monitoring: "経過観察中",
    resolved: "解決済み",
    scheduled: "予定",
    in_progress: "実施中",
    completed: "完了"
  },
  isDown: (names) => `${names} が停止しています`,
  investigating: (names) => `${names} の問題を調査しています。`,
  affectedToo: (name) => `${name} にも影響が出ています。`,
  recovered: (names, duration) => `${names} は${duration}後に復旧しました。`,
  recoveredAlone: (name) => `${name} は復旧しましたが、障害は続いています。`,
  maintenanceStarted: "メンテナンスを開始しました。",
  maintenanceCompleted: "メンテナンスが完了しました。",
  skipToContent: "本文へ移動",
  updated: (time) => `最終更新 ${time}`,
  outOfDate: "最新のデータを現在読み込めないため、情報が古い可能性があります。",
  noComponents: "表示するものはまだありません。",
  services: "サービス",
  activeIncidents: "発生中のインシデント",
  plannedMaintenance: "予定されたメンテナンス",
  affects: (components) => `影響範囲: ${components}`,
  pastIncidents: "過去のインシデント",
  noIncidents: (days) => `過去 ${days} 日間にインシデントはありません。`,
  resolvedAfter: (duration) => `${duration}で解決`,
  uptime: (percent) => `稼働率 ${percent}`,
  uptimeHistory: "稼働率の推移",
  lastDays: (days) => `過去 ${days} 日間`,
  today: "今日",
  noData: "データなし",
  downFor: (duration) => `停止 ${duration}`,
  daysWithProblems: (days) => `問題のあった日数: ${days}`,
  support: "サポート",
  poweredBy: "提供:",
  notFoundTitle: "何もありません",
  notFoundText: "このアドレスにステータスページはありません。",
  unavailableTitle: "まもなく再開します",
  unavailableText: "現在、状態を読み込めません。数秒後にもう一度お試しください。"
}
