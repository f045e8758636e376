/** Properties of the parts of the chart. */
import type { DOMAttributes } from "preact"
import type { ChartData, Choice } from "./ChartData.ts"

/** The reader's actions, which need a script. The server draws the chart without. */
export interface Actions {
  readonly choose: (change: Partial<Choice>) => void
  /** Shows a part: the middle moves sideways by a share of the shown part, and its length changes by a factor. */
  readonly zoom: (factor: number, sideways: number) => void
  readonly pointer: DOMAttributes<SVGSVGElement>
}

export interface ChartProps {
  readonly data: ChartData
  readonly choice: Choice
  readonly actions: Actions | null
}
