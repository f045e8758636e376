/** Italian. */
import type { Words } from "./Words.ts"

export const it: Words = {
  component: {
    operational: "Operativo",
    degraded: "Rallentato",
    partial_outage: "Interruzione parziale",
    major_outage: "Interruzione grave",
    maintenance: "Manutenzione",
    unknown: "Nessun dato"
  },
  page: {
    operational: "Tutti i sistemi sono operativi",
    degraded: "Prestazioni ridotte",
    partial_outage: "Interruzione parziale",
    major_outage: "Interruzione grave",
    maintenance: "Manutenzione in corso",
    unknown: "In attesa di dati"
  },
  progress: {
    investigating: "In analisi",
    identified: "Causa individuata",
    monitoring: "In osservazione",
    resolved: "Risolto",
    scheduled: "Pianificata",
    in_progress: "In corso",
    completed: "Completata"
  },
  isDown: (names) => `${names}: non disponibile`,
  investigating: (names) => `Stiamo analizzando un problema con ${names}.`,
  affectedToo: (name) => `Coinvolge anche ${name}.`,
  recovered: (names, duration) => `${names}: ripristino dopo ${duration}.`,
  recoveredAlone: (name) => `${name}: servizio ripristinato; il problema continua.`,
  maintenanceStarted: "La manutenzione è iniziata.",
  maintenanceCompleted: "La manutenzione è terminata.",
  skipToContent: "Vai al contenuto",
  updated: (time) => `Aggiornato ${time}`,
  outOfDate: "Potrebbe non essere aggiornato: al momento i dati più recenti non sono leggibili.",
  noComponents: "Qui non c’è ancora nulla.",
  services: "Servizi",
  activeIncidents: "Incidenti in corso",
  plannedMaintenance: "Manutenzione pianificata",
  affects: (components) => `Interessa ${components}`,
  pastIncidents: "Incidenti passati",
  noIncidents: (days) => `Nessun incidente negli ultimi ${days} giorni.`,
  resolvedAfter: (duration) => `Risolto dopo ${duration}`,
  uptime: (percent) => `${percent} di disponibilità`,
  uptimeHistory: "Storico della disponibilità",
  lastDays: (days) => `Ultimi ${days} giorni`,
  today: "Oggi",
  noData: "Nessun dato",
  downFor: (duration) => `non disponibile per ${duration}`,
  daysWithProblems: (days) => `Giorni con problemi: ${days}`,
  support: "Richiedi assistenza",
  poweredBy: "Realizzato con",
  notFoundTitle: "Qui non c’è nulla",
  notFoundText: "A questo indirizzo non c’è alcuna pagina di stato.",
  unavailableTitle: "Di nuovo qui tra poco",
  unavailableText: "Al momento lo stato non è leggibile. Riprova tra qualche secondo."
}
