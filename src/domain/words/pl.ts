/** Polish. */
import type { Words } from "./Words.ts"

export const pl: Words = {
  component: {
    operational: "Działa",
    degraded: "Spowolnienie",
    partial_outage: "Częściowa awaria",
    major_outage: "Poważna awaria",
    maintenance: "Prace serwisowe",
    unknown: "Brak danych"
  },
  page: {
    operational: "Wszystkie systemy działają",
    degraded: "Obniżona wydajność",
    partial_outage: "Częściowa awaria",
    major_outage: "Poważna awaria",
    maintenance: "Trwają prace serwisowe",
    unknown: "Oczekiwanie na dane"
  },
  progress: {
    investigating: "Badamy",
    identified: "Znaleziono przyczynę",
    monitoring: "Obserwujemy",
    resolved: "Rozwiązano",
    scheduled: "Zaplanowano",
    in_progress: "W toku",
    completed: "Zakończono"
  },
  isDown: (names) => `${names}: awaria`,
  investigating: (names) => `Badamy problem: ${names}.`,
  affectedToo: (name) => `Dotyczy także: ${name}.`,
  recovered: (names, duration) => `${names}: przywrócono po ${duration}.`,
  recoveredAlone: (name) => `${name}: działa ponownie; incydent trwa.`,
  maintenanceStarted: "Prace konserwacyjne rozpoczęły się.",
  maintenanceCompleted: "Prace konserwacyjne zakończyły się.",
  skipToContent: "Przejdź do treści",
  updated: (time) => `Zaktualizowano ${time}`,
  outOfDate: "Informacje mogą być nieaktualne: najnowszych danych nie można teraz odczytać.",
  noComponents: "Nie ma tu jeszcze niczego.",
  services: "Usługi",
  activeIncidents: "Trwające incydenty",
  plannedMaintenance: "Planowane prace",
  affects: (components) => `Dotyczy: ${components}`,
  pastIncidents: "Poprzednie incydenty",
  noIncidents: (days) => `Brak incydentów w ciągu ostatnich ${days} dni.`,
  resolvedAfter: (duration) => `Czas do rozwiązania: ${duration}`,
  uptime: (percent) => `Dostępność ${percent}`,
  uptimeHistory: "Historia dostępności",
  lastDays: (days) => `Ostatnie ${days} dni`,
  today: "Dzisiaj",
  noData: "Brak danych",
  downFor: (duration) => `niedostępność: ${duration}`,
  daysWithProblems: (days) => `Dni z problemami: ${days}`,
  support: "Pomoc",
  poweredBy: "Obsługiwane przez",
  notFoundTitle: "Niczego tu nie ma",
  notFoundText: "Pod tym adresem nie ma strony statusu.",
  unavailableTitle: "Zaraz wracamy",
  unavailableText: "Statusu nie można teraz odczytać. Spróbuj ponownie za kilka sekund."
}
