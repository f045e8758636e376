/** A running broker. */
export interface RunningKafka {
  readonly port: number
  readonly pid: number
  readonly exited: Promise<unknown>
  /** Sends SIGTERM, then SIGKILL after 10 s. */
  readonly stop: () => Promise<void>
  /** Sends SIGKILL. */
  readonly kill: () => Promise<void>
}
/** A listener with TLS and SASL. */
export interface SecuredListener {
  readonly port: number
  /** A file with the private key (PKCS 8) and the certificate. */
  readonly pem: string
  readonly username: string
  readonly password: string
  /** Whether other users may do only what access rules allow. Default: they may do everything. */
  readonly authorizes?: boolean
}
/** The place of a broker among several. */
export interface Quorum {
  /** From 1. */
  readonly nodeId: number
  readonly clusterId: string
  /** Of all of them. */
  readonly controllerPorts: ReadonlyArray<number>
}
export const newClusterId: () => string
export const missing: () => Promise<string | null>
export const install: () => Promise<string>
export const start: (options: {
  readonly port: number
  readonly advertisedPort?: number
  readonly dataDir: string
  readonly log?: string
  readonly controllerPort?: number
  readonly secured?: SecuredListener
  /** The address at which it listens; default: 127.0.0.1. */
  readonly host?: string
  readonly quorum?: Quorum
}) => Promise<RunningKafka>
