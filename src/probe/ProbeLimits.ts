/** How much a worker does at once, and for whom. */

export interface ProbeLimits {
  /** Looks under way at once. A quarter of the slots is for looks that end within a second. */
  readonly concurrency: number
  /** The share of these slots that one workspace may hold, in percent. */
  readonly workspacePercent: number
  /** Looks that may begin within a second at one host; 0 for any number. */
  readonly hostRate: number
}

/** A hung look costs a socket and about 30 kB, so all slots together cost at most about 120 MB. */
export const defaultProbeLimits: ProbeLimits = { concurrency: 4000, workspacePercent: 50, hostRate: 50 }
