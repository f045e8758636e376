/** Whether a probe worker trusts its results. */

/** Why it does not: no canary can be reached, or its own connection is lost. Null while it does. */
export interface Trust {
  canaries: string | null
  uplink: string | null
}

export const reasonOf = ({ canaries, uplink }: Trust): string | null => canaries ?? uplink
