/** English. */
import type { Words } from "./Words.ts"

export const en: Words = {
  component: {
    operational: "Operational",
    degraded: "Degraded",
    partial_outage: "Partial outage",
    major_outage: "Major outage",
    maintenance: "Maintenance",
    unknown: "No data"
  },
  page: {
    operational: "All systems operational",
    degraded: "Degraded performance",
    partial_outage: "Partial outage",
    major_outage: "Major outage",
    maintenance: "Maintenance in progress",
    unknown: "Waiting for data"
  },
  progress: {
    investigating: "Investigating",
    identified: "Identified",
    monitoring: "Monitoring",
    resolved: "Resolved",
    scheduled: "Scheduled",
    in_progress: "In progress",
    completed: "Completed"
  },
  isDown: (names) => `${names} is down`,
  investigating: (names) => `We are investigating a problem with ${names}.`,
  affectedToo: (name) => `${name} is affected too.`,
  recovered: (names, duration) => `${names} recovered after ${duration}.`,
  recoveredAlone: (name) => `${name} has recovered; the incident is still open.`,
  maintenanceStarted: "The maintenance has started.",
  maintenanceCompleted: "The maintenance is complete.",
  skipToContent: "Skip to content",
  updated: (time) => `Updated ${time}`,
  outOfDate: "This page may be out of date: the latest data is unavailable right now.",
  noComponents: "There is nothing to show yet.",
  services: "Services",
  activeIncidents: "Active incidents",
  plannedMaintenance: "Planned maintenance",
  affects: (components) => `Affects ${components}`,
  pastIncidents: "Past incidents",
  noIncidents: (days) => `No incidents in the last ${days} days.`,
  resolvedAfter: (duration) => `Resolved after ${duration}`,
  uptime: (percent) => `${percent} uptime`,
  uptimeHistory: "Uptime history",
  lastDays: (days) => `Last ${days} days`,
  today: "Today",
  noData: "No data",
  downFor: (duration) => `down for ${duration}`,
  daysWithProblems: (days) => `Days with problems: ${days}`,
  support: "Get support",
  poweredBy: "Powered by",
  notFoundTitle: "Page not found",
  notFoundText: "There is no status page at this address.",
  unavailableTitle: "Temporarily unavailable",
  unavailableText: "The status is unavailable right now. Try again in a few seconds."
}
