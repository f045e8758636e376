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
export const missing: () => Promise<string | null>
export const install: () => Promise<string>
export const start: (options: {
  readonly port: number
  readonly dataDir: string
  readonly log?: string
  readonly controllerPort?: number
}) => Promise<RunningKafka>
