/** Whether a probe worker trusts its results. */

/** Why it does not: no canary can be reached, its own connection is lost, or its clock is too far off. Null while it does. */
export interface Trust {
  canaries: string | null
  uplink: string | null
  clock: string | null
}

export const reasonOf = ({ canaries, clock, uplink }: Trust): string | null => canaries ?? uplink ?? clock
