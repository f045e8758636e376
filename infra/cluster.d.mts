/** One process of the cluster. */
export interface Member {
  readonly name: string
  /** Null while the process is not running. */
  readonly pid: number | null
  /** How the process exited last, such as "exit code 0" or "SIGKILL"; null if it never did. */
  readonly lastExit: string | null
  /** Resolves when the process is ready; rejects when it exits first or takes more than 90 s. */
  readonly start: () => Promise<void>
  /** Sends SIGTERM, then SIGKILL after 20 s. */
  readonly stop: () => Promise<void>
  /** Sends SIGKILL; resolves when the process has exited. */
  readonly kill: () => Promise<void>
  /** False when the process is not running. */
  readonly signal: (signal: NodeJS.Signals) => boolean
}
/** A Belltower process; `baseUrl` serves its health endpoints. */
export interface Service extends Member {
  readonly baseUrl: string
}
/** A probe; its identity is in `probe.json` of `dataDir`. */
export interface Probe extends Service {
  readonly dataDir: string
}
export interface RunningCluster {
  /** The URL of the api process. */
  readonly baseUrl: string
  readonly databaseUrl: string
  readonly kafkaPort: number
  /** The first broker. */
  readonly kafka: Member
  readonly brokers: ReadonlyArray<Member>
  readonly database: Member
  readonly api: Service
  readonly runners: ReadonlyArray<Service>
  readonly probes: Readonly<Record<string, ReadonlyArray<Probe>>>
  /** Runs a command of the operator, such as `probes`, and resolves with what it prints. */
  readonly command: (...words: ReadonlyArray<string>) => Promise<string>
  /** The settings of a server, with which commands run. */
  readonly settings: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}
export const startCluster: (options: {
  readonly folder: string
  /** The address of this machine at which Kafka and the api are reached; 127.0.0.1 by default. */
  readonly host?: string
  readonly brokers?: number
  readonly runners?: number
  readonly regions?: Readonly<Record<string, number>>
  /** The port of the api process; a free port by default. */
  readonly port?: number
  /** Whether to restart a process that exits; true by default. */
  readonly supervised?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** `number` is that of the probe within its region, from 1. */
  readonly probeEnv?: (region: string, number: number) => Readonly<Record<string, string>>
  /** What goes before the command of a probe, such as one that enters a network namespace. */
  readonly probeCommand?: (region: string, number: number) => ReadonlyArray<string>
  /** The path of the program of the process `name`, asked for at each of its starts: this release by default. */
  readonly programOf?: (name: string) => string
  readonly through?: {
    /** Takes a broker's port and returns the one at which clients reach it. */
    readonly kafka?: (port: number) => Promise<number>
    /** Takes the database's URL and the name of a process, and returns the URL that this process uses. */
    readonly database?: (url: string, name: string) => Promise<string>
  }
  readonly tell: (name: string, line: string) => void
}) => Promise<RunningCluster>
