/** The trust of a probe worker in its results. */

/**
 * The reasons against trust: no canary can be reached, its own connection is lost, or its clock is too far off. Null while there
 * are none.
 */
export interface Trust {
  canaries: string | null
  uplink: string | null
  clock: string | null
}

export const reasonOf = ({ canaries, clock, uplink }: Trust): string | null => canaries ?? uplink ?? clock
