/** One process of the cluster. */
export interface Member {
  readonly name: string
  /** Null while it does not run. */
  readonly pid: number | null
  /** Done when it is ready; fails when it ends first or takes more than 90 s. */
  readonly start: () => Promise<void>
  /** SIGTERM, and SIGKILL after 20 s. */
  readonly stop: () => Promise<void>
  /** SIGKILL; done when it has ended. */
  readonly kill: () => Promise<void>
  /** False where it does not run. */
  readonly signal: (signal: NodeJS.Signals) => boolean
}
/** A process of the program; `baseUrl` serves its health. */
export interface Service extends Member {
  readonly baseUrl: string
}
export interface RunningCluster {
  /** Where the api listens. */
  readonly baseUrl: string
  readonly databaseUrl: string
  readonly kafkaPort: number
  readonly kafka: Member
  readonly database: Member
  readonly api: Service
  readonly runners: ReadonlyArray<Service>
  readonly probes: Readonly<Record<string, ReadonlyArray<Service>>>
  readonly stop: () => Promise<void>
}
export const startCluster: (options: {
  readonly folder: string
  readonly runners?: number
  readonly regions?: Readonly<Record<string, number>>
  /** Where the api listens; default: a free port. */
  readonly port?: number
  /** Whether a process that ends is started again; default true. */
  readonly supervised?: boolean
  readonly env?: Readonly<Record<string, string>>
  readonly probeEnv?: (region: string) => Readonly<Record<string, string>>
  readonly tell: (name: string, line: string) => void
}) => Promise<RunningCluster>
