/** How much a probe does at a time. */

/** A hanging check costs a socket and about 30 kB, so all slots together cost at most about 120 MB. */
export const defaultProbeLimits = {
  /** Maximum concurrent checks (slots). A quarter of them is reserved for checks that end within a second. */
  concurrency: 4000,
  /** The share of these slots that one workspace can hold, in percent. */
  workspacePercent: 50,
  /**
   * Maximum check starts per second at one host by all workers of the region together, and connections of one workspace at one
   * address; 0 for no limit. An address and a network have multiples of it.
   */
  hostRate: 50
}
export type ProbeLimits = Readonly<typeof defaultProbeLimits>
