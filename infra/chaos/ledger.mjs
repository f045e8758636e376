// What a run of faults has promised, against what has arrived: plain state; the caller passes the times, in ms.

/** How much of a stretch lies in no stretch of trouble; these may overlap. */
export const calmTime = (from, to, troubles) => {
  let calm = Math.max(0, to - from)
  let until = from
  for (const one of [...troubles].sort((a, b) => a.from - b.from)) {
    const begin = Math.max(one.from, until)
    const end = Math.min(one.to, to)
    if (end <= begin) continue
    calm -= end - begin
    until = end
  }
  return calm
}

/** The pauses of more than `mostMs` between the times, in any order, that no stretch of `unobserved` touches. */
export const silences = (times, unobserved, mostMs) => {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted.slice(1).map((to, index) => ({ from: sorted[index], to }))
    .filter(({ from, to }) => to - from > mostMs && !unobserved.some((span) => span.from < to && span.to > from))
}

const emptyRow = () => ({ promised: 0, kept: 0, lost: 0, doubled: 0, false: 0, late: 0, misdated: 0 })

/** The faults in a row of the report; a run passes if all are 0. */
export const faultsIn = (row) => row.lost + row.doubled + row.false + row.late + row.misdated

/**
 * An alert must come for each promise, once, within `boundMs` of calm time, with a check of that time (with `toleranceMs` to spare);
 * none may come without one. `tell` gets each complaint as it arises.
 */
export const makeLedger = ({ boundMs, tell = () => {}, toleranceMs }) => {
  const rows = new Map()
  const open = new Map()
  const lastKept = new Map()
  const heard = new Map()
  const troubles = []
  const complaints = []
  let repeated = 0
  let slowest = 0

  const rowOf = (round) => {
    if (!rows.has(round)) rows.set(round, emptyRow())
    return rows.get(round)
  }
  const complain = (kind, round, text) => {
    rowOf(round)[kind]++
    complaints.push({ kind, round, text })
    tell(`${kind} in round ${round}: ${text}`)
  }

  const keep = (promise, { at, checkAt }) => {
    const { round, since, subject, type } = promise
    open.delete(subject)
    lastKept.set(subject, type)
    rowOf(round).kept++
    const calm = calmTime(since, at, troubles)
    slowest = Math.max(slowest, calm)
    if (calm > boundMs) complain("late", round, `${subject} ${type} after ${Math.round(calm)} ms of calm time`)
    if (checkAt < since - toleranceMs || checkAt > at + toleranceMs) {
      complain("misdated", round, `${subject} ${type} is dated ${Math.round(checkAt - since)} ms from its beginning`)
    }
  }

  /** Promises that are still open are lost. */
  const giveUp = () => {
    for (const { round, subject, type } of open.values()) complain("lost", round, `${subject} ${type}`)
    open.clear()
  }

  return {
    /** Stretches in which, and shortly after which, nothing is late. Returns a function that ends the stretch. */
    trouble: (from) => {
      const stretch = { from, to: Number.POSITIVE_INFINITY }
      troubles.push(stretch)
      return (to) => void (stretch.to = to)
    },
    /** From now on an alert of this type is due about the subject. */
    promise: (subject, type, since, round) => {
      open.set(subject, { subject, type, since, round })
      rowOf(round).promised++
    },
    /** An alert has arrived; `id` is the same in every attempt to deliver it, and `checkAt` the time of its check. */
    arrived: ({ id, subject, type, at, checkAt }, round) => {
      if (heard.has(id)) return void repeated++
      heard.set(id, subject)
      const promise = open.get(subject)
      if (promise?.type === type) return keep(promise, { at, checkAt })
      complain(lastKept.get(subject) === type ? "doubled" : "false", round, `${subject} ${type}`)
    },
    /** Says whether all promises were kept. */
    isSettled: () => open.size === 0,
    giveUp,
    /** Promises that are still open are lost. */
    report: () => {
      giveUp()
      return {
        rows: [...rows].sort(([a], [b]) => a - b).map(([round, row]) => ({ round, ...row })),
        total: [...rows.values()].reduce(
          (sum, row) => Object.fromEntries(Object.entries(sum).map(([name, value]) => [name, value + row[name]])),
          emptyRow()
        ),
        complaints,
        /** Deliveries that came again, with the id of the first: receivers drop them. */
        repeated,
        slowestMs: Math.round(slowest)
      }
    }
  }
}
