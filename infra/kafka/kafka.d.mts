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
export const missing: () => Promise<string | null>
export const install: () => Promise<string>
export const start: (options: {
  readonly port: number
  readonly advertisedPort?: number
  readonly dataDir: string
  readonly log?: string
  readonly controllerPort?: number
  readonly secured?: SecuredListener
}) => Promise<RunningKafka>
