/** French. */
import type { Words } from "./Words.ts"

export const fr: Words = {
  component: {
    operational: "Opérationnel",
    degraded: "Dégradé",
    partial_outage: "Panne partielle",
    major_outage: "Panne majeure",
    maintenance: "Maintenance",
    unknown: "Aucune donnée"
  },
  page: {
    operational: "Tous les systèmes sont opérationnels",
    degraded: "Performances dégradées",
    partial_outage: "Panne partielle",
    major_outage: "Panne majeure",
    maintenance: "Maintenance en cours",
    unknown: "En attente de données"
  },
  progress: {
    investigating: "Analyse en cours",
    identified: "Cause identifiée",
    monitoring: "Sous surveillance",
    resolved: "Résolu",
    scheduled: "Planifiée",
    in_progress: "En cours",
    completed: "Terminée"
  },
  isDown: (names) => `${names} : panne`,
  investigating: (names) => `Nous analysons un problème concernant ${names}.`,
  affectedToo: (name) => `L’incident touche aussi ${name}.`,
  recovered: (names, duration) => `${names} : retour à la normale après ${duration}.`,
  recoveredAlone: (name) => `${name} : retour à la normale ; l’incident se poursuit.`,
  maintenanceStarted: "La maintenance a commencé.",
  maintenanceCompleted: "La maintenance est terminée.",
  skipToContent: "Aller au contenu",
  updated: (time) => `Mis à jour ${time}`,
  outOfDate: "Ces informations peuvent être périmées : les dernières données sont momentanément illisibles.",
  noComponents: "Rien n’est encore affiché ici.",
  services: "Services",
  activeIncidents: "Incidents en cours",
  plannedMaintenance: "Maintenance planifiée",
  affects: (components) => `Concerne ${components}`,
  pastIncidents: "Incidents passés",
  noIncidents: (days) => `Aucun incident au cours des ${days} derniers jours.`,
  resolvedAfter: (duration) => `Résolu après ${duration}`,
  uptime: (percent) => `${percent} de disponibilité`,
  uptimeHistory: "Historique de disponibilité",
  lastDays: (days) => `${days} derniers jours`,
  today: "Aujourd’hui",
  noData: "Aucune donnée",
  downFor: (duration) => `en panne pendant ${duration}`,
  daysWithProblems: (days) => `Jours avec incidents : ${days}`,
  support: "Obtenir de l’aide",
  poweredBy: "Propulsé par",
  notFoundTitle: "Rien ici",
  notFoundText: "Il n’y a pas de page d’état à cette adresse.",
  unavailableTitle: "De retour dans un instant",
  unavailableText: "L’état ne peut pas être lu pour le moment. Réessayez dans quelques secondes."
}
