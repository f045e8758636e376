/** Dutch. */
import type { Words } from "./Words.ts"

export const nl: Words = {
  component: {
    operational: "Operationeel",
    degraded: "Verminderd",
    partial_outage: "Gedeeltelijke storing",
    major_outage: "Grote storing",
    maintenance: "Onderhoud",
    unknown: "Geen gegevens"
  },
  page: {
    operational: "Alle systemen operationeel",
    degraded: "Verminderde prestaties",
    partial_outage: "Gedeeltelijke storing",
    major_outage: "Grote storing",
    maintenance: "Onderhoud bezig",
    unknown: "Wachten op gegevens"
  },
  progress: {
    investigating: "In onderzoek",
    identified: "Oorzaak gevonden",
    monitoring: "Wordt gevolgd",
    resolved: "Opgelost",
    scheduled: "Gepland",
    in_progress: "Bezig",
    completed: "Afgerond"
  },
  isDown: (names) => `${names}: storing`,
  investigating: (names) => `We onderzoeken een probleem met ${names}.`,
  affectedToo: (name) => `Ook ${name} heeft er last van.`,
  recovered: (names, duration) => `${names}: hersteld na ${duration}.`,
  recoveredAlone: (name) => `${name} werkt weer; de storing duurt voort.`,
  maintenanceStarted: "Het onderhoud is begonnen.",
  maintenanceCompleted: "Het onderhoud is afgerond.",
  skipToContent: "Naar de inhoud",
  updated: (time) => `Bijgewerkt ${time}`,
  outOfDate: "Mogelijk verouderd: de nieuwste gegevens kunnen nu niet worden gelezen.",
  noComponents: "Hier staat nog niets.",
  services: "Diensten",
  activeIncidents: "Actuele storingen",
  plannedMaintenance: "Gepland onderhoud",
  affects: (components) => `Betreft ${components}`,
  pastIncidents: "Eerdere storingen",
  noIncidents: (days) => `Geen storingen in de afgelopen ${days} dagen.`,
  resolvedAfter: (duration) => `Opgelost na ${duration}`,
  uptime: (percent) => `${percent} beschikbaar`,
  uptimeHistory: "Beschikbaarheid door de tijd",
  lastDays: (days) => `Afgelopen ${days} dagen`,
  today: "Vandaag",
  noData: "Geen gegevens",
  downFor: (duration) => `${duration} niet beschikbaar`,
  daysWithProblems: (days) => `Dagen met problemen: ${days}`,
  support: "Hulp krijgen",
  poweredBy: "Mogelijk gemaakt door",
  notFoundTitle: "Hier is niets",
  notFoundText: "Op dit adres is geen statuspagina.",
  unavailableTitle: "Zo weer terug",
  unavailableText: "De status kan nu niet worden gelezen. Probeer het over enkele seconden opnieuw."
}
