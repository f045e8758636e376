/** The concurrency limits of a probe worker. */

export interface ProbeLimits {
  /** Maximum concurrent checks (slots). A quarter of them is reserved for checks that end within a second. */
  readonly concurrency: number
  /** The share of these slots that one workspace can hold, in percent. */
  readonly workspacePercent: number
  /** Maximum check starts per second at one host by all workers of the region together; 0 for no limit. */
  readonly hostRate: number
}

/** A hanging check costs a socket and about 30 kB, so all slots together cost at most about 120 MB. */
export const defaultProbeLimits: ProbeLimits = { concurrency: 4000, workspacePercent: 50, hostRate: 50 }
