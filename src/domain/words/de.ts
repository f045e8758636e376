/** German. */
import type { Words } from "./Words.ts"

export const de: Words = {
  component: {
    operational: "In Betrieb",
    degraded: "Beeinträchtigt",
    partial_outage: "Teilausfall",
    major_outage: "Ausfall",
    maintenance: "Wartung",
    unknown: "Keine Daten"
  },
  page: {
    operational: "Alle Systeme in Betrieb",
    degraded: "Eingeschränkte Leistung",
    partial_outage: "Teilweiser Ausfall",
    major_outage: "Schwerer Ausfall",
    maintenance: "Wartungsarbeiten",
    unknown: "Daten werden erwartet"
  },
  progress: {
    investigating: "Wird untersucht",
    identified: "Ursache gefunden",
    monitoring: "Wird beobachtet",
    resolved: "Behoben",
    scheduled: "Geplant",
    in_progress: "Läuft",
    completed: "Abgeschlossen"
  },
  isDown: (names) => `${names}: Ausfall`,
  investigating: (names) => `Wir untersuchen ein Problem mit ${names}.`,
  affectedToo: (name) => `${name} ist ebenfalls betroffen.`,
  recovered: (names, duration) => `${names}: nach ${duration} behoben.`,
  recoveredAlone: (name) => `${name} funktioniert wieder; die Störung dauert an.`,
  maintenanceStarted: "Die Wartung hat begonnen.",
  maintenanceCompleted: "Die Wartung ist abgeschlossen.",
  skipToContent: "Zum Inhalt springen",
  updated: (time) => `Aktualisiert ${time}`,
  outOfDate: "Möglicherweise veraltet: Die neuesten Daten können gerade nicht gelesen werden.",
  noComponents: "Hier wird noch nichts angezeigt.",
  services: "Dienste",
  activeIncidents: "Aktuelle Störungen",
  plannedMaintenance: "Geplante Wartung",
  affects: (components) => `Betrifft ${components}`,
  pastIncidents: "Vergangene Störungen",
  noIncidents: (days) => `Keine Störungen in den letzten ${days} Tagen.`,
  resolvedAfter: (duration) => `Behoben nach ${duration}`,
  uptime: (percent) => `${percent} Verfügbarkeit`,
  uptimeHistory: "Verfügbarkeit im Verlauf",
  lastDays: (days) => `Letzte ${days} Tage`,
  today: "Heute",
  noData: "Keine Daten",
  downFor: (duration) => `${duration} ausgefallen`,
  daysWithProblems: (days) => `Tage mit Störungen: ${days}`,
  support: "Hilfe erhalten",
  poweredBy: "Bereitgestellt mit",
  notFoundTitle: "Hier ist nichts",
  notFoundText: "Unter dieser Adresse gibt es keine Statusseite.",
  unavailableTitle: "Gleich wieder da",
  unavailableText: "Der Status kann gerade nicht gelesen werden. Bitte in einigen Sekunden erneut versuchen."
}
