/** Spanish. */
import type { Words } from "./Words.ts"

export const es: Words = {
  component: {
    operational: "Operativo",
    degraded: "Degradado",
    partial_outage: "Interrupción parcial",
    major_outage: "Interrupción grave",
    maintenance: "Mantenimiento",
    unknown: "Sin datos"
  },
  page: {
    operational: "Todos los sistemas operativos",
    degraded: "Rendimiento degradado",
    partial_outage: "Interrupción parcial",
    major_outage: "Interrupción grave",
    maintenance: "Mantenimiento en curso",
    unknown: "A la espera de datos"
  },
  progress: {
    investigating: "Investigando",
    identified: "Causa identificada",
    monitoring: "En observación",
    resolved: "Resuelto",
    scheduled: "Programado",
    in_progress: "En curso",
    completed: "Finalizado"
  },
  isDown: (names) => `${names}: sin servicio`,
  investigating: (names) => `Estamos investigando un problema con ${names}.`,
  affectedToo: (name) => `También afecta a ${name}.`,
  recovered: (names, duration) => `${names}: recuperación tras ${duration}.`,
  recoveredAlone: (name) => `${name}: servicio restablecido; el incidente continúa.`,
  maintenanceStarted: "El mantenimiento ha comenzado.",
  maintenanceCompleted: "El mantenimiento ha finalizado.",
  skipToContent: "Ir al contenido",
  updated: (time) => `Actualizado ${time}`,
  outOfDate: "Puede estar desactualizado: los datos más recientes no se pueden leer en este momento.",
  noComponents: "Aquí todavía no se muestra nada.",
  services: "Servicios",
  activeIncidents: "Incidentes activos",
  plannedMaintenance: "Mantenimiento programado",
  affects: (components) => `Afecta a ${components}`,
  pastIncidents: "Incidentes anteriores",
  noIncidents: (days) => `Sin incidentes en los últimos ${days} días.`,
  resolvedAfter: (duration) => `Resuelto tras ${duration}`,
  uptime: (percent) => `${percent} de disponibilidad`,
  uptimeHistory: "Historial de disponibilidad",
  lastDays: (days) => `Últimos ${days} días`,
  today: "Hoy",
  noData: "Sin datos",
  downFor: (duration) => `caído durante ${duration}`,
  daysWithProblems: (days) => `Días con problemas: ${days}`,
  support: "Obtener ayuda",
  poweredBy: "Con la tecnología de",
  notFoundTitle: "Aquí no hay nada",
  notFoundText: "No hay ninguna página de estado en esta dirección.",
  unavailableTitle: "Volvemos en un momento",
  unavailableText: "El estado no se puede leer ahora mismo. Inténtalo de nuevo en unos segundos."
}
