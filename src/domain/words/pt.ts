/** Portuguese. */
import type { Words } from "./Words.ts"

export const pt: Words = {
  component: {
    operational: "Operacional",
    degraded: "Degradado",
    partial_outage: "Interrupção parcial",
    major_outage: "Interrupção grave",
    maintenance: "Manutenção",
    unknown: "Sem dados"
  },
  page: {
    operational: "Todos os sistemas operacionais",
    degraded: "Desempenho degradado",
    partial_outage: "Interrupção parcial",
    major_outage: "Interrupção grave",
    maintenance: "Manutenção em andamento",
    unknown: "À espera de dados"
  },
  progress: {
    investigating: "Em investigação",
    identified: "Causa identificada",
    monitoring: "Em observação",
    resolved: "Resolvido",
    scheduled: "Agendada",
    in_progress: "Em andamento",
    completed: "Concluída"
  },
  isDown: (names) => `${names}: indisponível`,
  investigating: (names) => `Investigamos um problema com ${names}.`,
  affectedToo: (name) => `Também afeta ${name}.`,
  recovered: (names, duration) => `${names}: recuperação após ${duration}.`,
  recoveredAlone: (name) => `${name}: serviço restabelecido; o incidente continua.`,
  maintenanceStarted: "A manutenção começou.",
  maintenanceCompleted: "A manutenção foi concluída.",
  skipToContent: "Ir para o conteúdo",
  updated: (time) => `Atualizado ${time}`,
  outOfDate: "Pode estar desatualizado: os dados mais recentes não podem ser lidos neste momento.",
  noComponents: "Ainda não há nada aqui.",
  services: "Serviços",
  activeIncidents: "Incidentes ativos",
  plannedMaintenance: "Manutenção planejada",
  affects: (components) => `Afeta ${components}`,
  pastIncidents: "Incidentes anteriores",
  noIncidents: (days) => `Nenhum incidente nos últimos ${days} dias.`,
  resolvedAfter: (duration) => `Resolvido após ${duration}`,
  uptime: (percent) => `${percent} de disponibilidade`,
  uptimeHistory: "Histórico de disponibilidade",
  lastDays: (days) => `Últimos ${days} dias`,
  today: "Hoje",
  noData: "Sem dados",
  downFor: (duration) => `indisponível por ${duration}`,
  daysWithProblems: (days) => `Dias com problemas: ${days}`,
  support: "Obter ajuda",
  poweredBy: "Desenvolvido com",
  notFoundTitle: "Nada por aqui",
  notFoundText: "Não há nenhuma página de status neste endereço.",
  unavailableTitle: "De volta em instantes",
  unavailableText: "O status não pode ser lido agora. Tente novamente em alguns segundos."
}
