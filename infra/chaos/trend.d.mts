export interface Trend {
  readonly perHour: number
  readonly error: number
}
export const trendOf: (samples: ReadonlyArray<{ readonly at: number; readonly value: number }>) => Trend
export const exceeds: (trend: Trend, budgetPerHour: number) => boolean
