import type { ChildProcess } from "node:child_process"

/** A running demo. */
export interface Demo {
  readonly baseUrl: string
  readonly child: ChildProcess
  /** Ids by short name: `shop`, `checkout`, ... */
  readonly monitors: Readonly<Record<string, string>>
  readonly pages: ReadonlyArray<{ readonly id: string; readonly slug: string; readonly url: string }>
  /** Makes a target fail, or not, whatever its schedule says; null returns to the schedule. */
  readonly setFailing: (path: string, fails: boolean | null) => void
  /** A new one-time sign-in link of the owner. */
  readonly link: () => Promise<string>
  readonly close: () => Promise<void>
}

/**
 * Starts the demo with its data under `folder`, which starts over. `days`: whether it has 90 days of history. `settings`: further
 * settings of the program.
 */
export const startDemo: (
  options: {
    readonly folder: string
    readonly port: number
    readonly days?: boolean
    readonly settings?: Readonly<Record<string, string>>
  }
) => Promise<Demo>
