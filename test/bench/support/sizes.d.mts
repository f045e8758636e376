/** The sizing model, as far as tests use it. */

export interface Pod {
  readonly requestM: number
  readonly memoryMi: number
}

interface Replicas extends Pod {
  readonly least: number
  readonly most: number
}

export interface Size {
  readonly monitors: number
  readonly regions: number
  readonly checks: number
  /** Null unless one process does everything. */
  readonly single: (Pod & { readonly volumeGi: number }) | null
  readonly apis: Replicas
  readonly runners: Replicas
  readonly probes: Pod & { readonly count: number }
  readonly connections: { readonly api: number; readonly runner: number; readonly most: number; readonly max: number }
  readonly postgres: { readonly walMbASec: number; readonly growthBytes: number }
  readonly wall: { readonly name: string; readonly times: number }
}

interface Load {
  readonly monitors: number
  readonly intervalSec?: number
  readonly regions?: number
  readonly keepChecksDays?: number
  readonly resultsHours?: number
}

export const sizeOf: (load: Load) => Size
export const references: ReadonlyArray<Load>
export const besidePool: { readonly api: number; readonly runner: number }
export const choices: {
  readonly databasePool: number
  readonly heapShare: { readonly single: number; readonly runner: number; readonly probe: number }
}
export const walls: Readonly<Record<string, { readonly most: number; readonly by: "program" | "setting" | "assumed" }>>
