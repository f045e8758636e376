// The growth of a figure over a run, as a straight line through its samples: plain numbers.

/** Samples are `{ at, value }` with `at` in hours. Returns the slope per hour and its standard error; of two samples or less, 0. */
export const trendOf = (samples) => {
  const count = samples.length
  if (count < 3) return { perHour: 0, error: 0 }
  const mean = (of) => samples.reduce((sum, sample) => sum + of(sample), 0) / count
  const [at, value] = [mean((one) => one.at), mean((one) => one.value)]
  const spread = samples.reduce((sum, one) => sum + (one.at - at) ** 2, 0)
  if (spread === 0) return { perHour: 0, error: 0 }
  const perHour = samples.reduce((sum, one) => sum + (one.at - at) * (one.value - value), 0) / spread
  const left = samples.reduce((sum, one) => sum + (one.value - value - perHour * (one.at - at)) ** 2, 0)
  return { perHour, error: Math.sqrt(left / (count - 2) / spread) }
}

/** Whether the growth is above the budget, beyond what noise explains. */
export const exceeds = ({ error, perHour }, budgetPerHour) => perHour - 2 * error > budgetPerHour
