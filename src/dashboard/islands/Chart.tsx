/** Gives the chart of a monitor its pointer, zoom, regions and comparison. What is zoomed into is read again in more detail. */
import { hydrate, render } from "preact"
import { useLayoutEffect, useState } from "preact/hooks"
import "../../pages/html/TextMarkup.ts"
import { Chart } from "../chart/Chart.tsx"
import { type ChartData, type Choice, firstChoice, type Measured, type Part, type Series, timesIn } from "../chart/ChartData.ts"
import type { Actions } from "../chart/ChartProps.ts"
import { shareOf } from "../chart/ChartScale.ts"
import { readBefore, readFiner } from "./ChartReads.ts"
import { propsChanged } from "./Dom.ts"

const isData = (given: unknown): given is ChartData => typeof given === "object" && given !== null && "regions" in given

/** The least that is shown, s. */
const shortest = 600

/** Keeps a part within the range. */
const within = ({ from, to }: ChartData, length: number, middle: number): Part => {
  const shown = Math.max(Math.min(shortest, to - from), Math.min(to - from, length))
  const start = Math.max(from, Math.min(to - shown, middle - shown / 2))
  return { from: Math.round(start), to: Math.round(start + shown) }
}

/** The time at a position in the drawing. */
const timeAt = (event: PointerEvent, choice: Part): number => {
  const box = event.currentTarget instanceof Element ? event.currentTarget.getBoundingClientRect() : new DOMRect()
  const share = Math.max(0, Math.min(1, (event.clientX - box.left) / Math.max(1, box.width)))
  return Math.round(choice.from + share * (choice.to - choice.from))
}

const nearest = (measured: Measured, part: Part, at: number): number | null =>
  timesIn(measured, part).reduce<number | null>(
    (best, time) => (best === null || Math.abs(time - at) < Math.abs(best - at) ? time : best),
    null
  )

/** A press shorter than this share of the width points; a longer one zooms. */
const leastDrag = 0.015

const pointerOf = (data: ChartData, choice: Choice, choose: Actions["choose"]): Actions["pointer"] => ({
  onPointerMove: (event: PointerEvent) => {
    const at = timeAt(event, choice)
    const dragged = choice.dragged === null ? null : { from: choice.dragged.from, to: at }
    choose({ at: nearest(choice.fine ?? data, choice, at), dragged })
  },
  onPointerDown: (event: PointerEvent) => {
    if (event.button !== 0 || (event.target instanceof Element && event.target.closest("a") !== null)) return
    const at = timeAt(event, choice)
    if (event.currentTarget instanceof Element) event.currentTarget.setPointerCapture(event.pointerId)
    choose({ dragged: { from: at, to: at } })
  },
  onPointerUp: (event: PointerEvent) => {
    if (choice.dragged === null) return
    const ends = [choice.dragged.from, timeAt(event, choice)].sort((one, other) => one - other)
    const [from = 0, to = 0] = ends
    const isDrag = shareOf(choice, to) - shareOf(choice, from) > leastDrag
    choose({ dragged: null, ...(isDrag ? { at: null, ...within(data, to - from, (from + to) / 2) } : {}) })
  },
  onPointerCancel: () => choose({ dragged: null }),
  onPointerLeave: () => {
    if (choice.dragged === null) choose({ at: null })
  },
  onDblClick: () => choose({ from: data.from, to: data.to, dragged: null })
})

const Live = ({ data }: { readonly data: ChartData }) => {
  const [choice, setChoice] = useState<Choice>(() => firstChoice(data))
  const choose = (change: Partial<Choice>) => setChoice((before) => ({ ...before, ...change }))
  // Newer data keep what the reader chose; a range that is shown whole moves along.
  useLayoutEffect(() => {
    setChoice((before) => {
      const isWhole = before.fine === null && before.to - before.from > 0.98 * (data.to - data.from)
      return isWhole
        ? { ...before, from: data.from, to: data.to }
        : { ...before, ...within(data, before.to - before.from, (before.from + before.to) / 2) }
    })
  }, [data])
  useLayoutEffect(() => {
    const asked = new AbortController()
    const part = { from: choice.from, to: choice.to }
    void readFiner(data, part, asked.signal).then((fine: Measured | null) => {
      if (!asked.signal.aborted) choose({ fine })
    })
    return () => asked.abort()
  }, [choice.from, choice.to])
  useLayoutEffect(() => {
    if (!choice.compares) {
      if (choice.before !== null) choose({ before: null })
      return
    }
    const asked = new AbortController()
    void readBefore(data, { from: choice.from, to: choice.to }, asked.signal).then((before: ReadonlyArray<Series> | null) => {
      if (!asked.signal.aborted) choose({ before })
    })
    return () => asked.abort()
  }, [choice.compares, choice.from, choice.to])
  const zoom = (factor: number, sideways: number) => {
    const length = choice.to - choice.from
    choose({ at: null, ...within(data, length * factor, (choice.from + choice.to) / 2 + sideways * length) })
  }
  return <Chart data={data} choice={choice} actions={{ choose, zoom, pointer: pointerOf(data, choice, choose) }} />
}

export const mount = (element: HTMLElement, given: unknown): void => {
  if (!isData(given)) return
  hydrate(<Live data={given} />, element)
  element.addEventListener(propsChanged, () => {
    const data: unknown = JSON.parse(element.dataset["props"] ?? "null")
    if (isData(data)) render(<Live data={data} />, element)
  })
}
