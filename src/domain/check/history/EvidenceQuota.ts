/** How much evidence a workspace stores in a day; beyond it, checks are stored without. */

/** Bytes of evidence that a workspace stores in a UTC day by default: about 600 pages of the largest size, or 10,000 usual ones. */
export const defaultEvidenceQuota = 50 * 1024 * 1024

/** For each size in order, whether it fits when `used` bytes of the quota are used; sizes that do not fit use it too. */
export const fitting = (sizes: ReadonlyArray<number>, used: number, quota: number): ReadonlyArray<boolean> => {
  let sum = used
  return sizes.map((size) => (sum += size) <= quota)
}
