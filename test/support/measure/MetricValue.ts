/** Reads a metric of this process. */
import { Effect } from "effect"
import { register } from "prom-client"

/** The sum of its values with these labels; null if there is none. */
export const metricValue = (name: string, labels: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async () => {
    const found = await register.getSingleMetric(name)?.get()
    const fitting = (found?.values ?? []).filter((one) =>
      Object.entries(labels).every(([label, value]) => one.labels[label] === value)
    )
    return fitting.length === 0 ? null : fitting.reduce((sum, { value }) => sum + value, 0)
  })
