/** What the parts of the chart are given. */
import type { DOMAttributes } from "preact"
import type { ChartData, Choice } from "./ChartData.ts"

/** What a script does for the reader. The server draws the chart without. */
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
