/** Changes of state are committed together where nothing speaks against it. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { type CommitGroup, type Committer, type Grouped, makeCommitGroups } from "../../../src/domain/monitor/CommitGroups.ts"

interface Change extends Grouped {
  readonly number: number
}

type Fate = "committed" | "failed" | "locked"

/** Runs groups in any order, each with any fate, until nothing is left; `seen` judges each state. */
const run = (
  script: ReadonlyArray<{ readonly workspace: number; readonly monitor: number }>,
  choices: ReadonlyArray<{ readonly committer: Committer; readonly end: boolean; readonly fate: Fate }>,
  seen: (running: ReadonlyArray<CommitGroup<Change>>) => void
) => {
  const groups = makeCommitGroups<Change>()
  const running: Array<CommitGroup<Change>> = []
  const settled: Array<number> = []
  script.forEach(({ monitor, workspace }, number) =>
    groups.add({ workspaceId: `ws_${workspace}`, monitorId: `mon_${workspace}_${monitor}`, number })
  )
  const end = (fate: Fate) => {
    const group = running.shift()
    if (group === undefined) return
    // A single change is never tried again.
    const again = group.kind === "single" ? [] : group.members
    groups.end(group, fate === "failed" ? again : [], fate === "locked" ? again : [])
    if (fate === "committed" || group.kind === "single") settled.push(...group.members.map(({ number }) => number))
  }
  const take = (committer: Committer): boolean => {
    const group = groups.take(committer)
    if (group !== null) running.push(group)
    seen(running)
    return group !== null
  }
  for (const choice of choices) {
    if (choice.end) end(choice.fate)
    else take(choice.committer)
  }
  for (let left = true; left;) {
    const [prompt, patient] = [take("prompt"), take("patient")]
    left = prompt || patient || running.length > 0
    end("committed")
  }
  return settled
}

const anyScript = fc.array(fc.record({ workspace: fc.nat(5), monitor: fc.nat(30) }), { maxLength: 200 })
const anyChoices = fc.array(
  fc.record({
    committer: fc.constantFrom<Committer>("prompt", "patient"),
    end: fc.boolean(),
    fate: fc.constantFrom<Fate>("committed", "failed", "locked")
  }),
  { maxLength: 60 }
)

describe("groups of changes", () => {
  it("settle each change once, whatever fails", () => {
    fc.assert(fc.property(anyScript, anyChoices, (script, choices) => {
      const settled = run(script, choices, () => {})
      expect([...settled].sort((a, b) => a - b)).toEqual(script.map((_, number) => number))
    }))
  })

  it("never hold a workspace twice at a time, nor a monitor twice in a group", () => {
    fc.assert(fc.property(anyScript, anyChoices, (script, choices) => {
      run(script, choices, (running) => {
        for (const alone of [true, false]) {
          const held = running.filter(({ kind }) => (kind === "single") === alone)
            .flatMap(({ members }) => [...new Set(members.map(({ workspaceId }) => workspaceId))])
          expect(new Set(held).size).toBe(held.length)
        }
        for (const { kind, members } of running) {
          expect(new Set(members.map(({ monitorId }) => monitorId)).size).toBe(members.length)
          expect(members.length).toBeLessThanOrEqual(kind === "single" ? 1 : 64)
          if (kind === "workspace") expect(new Set(members.map(({ workspaceId }) => workspaceId)).size).toBe(1)
        }
      })
    }))
  })

  it("serve a workspace with one change after at most one group of another with many", () => {
    const groups = makeCommitGroups<Change>()
    for (let number = 0; number < 1000; number++) groups.add({ workspaceId: "big", monitorId: `mon_${number}`, number })
    groups.add({ workspaceId: "small", monitorId: "mon_small", number: 1000 })
    const first = groups.take("prompt")
    const second = groups.take("prompt")
    expect(first?.members.every(({ workspaceId }) => workspaceId === "big")).toBe(true)
    expect(second?.members.map(({ workspaceId }) => workspaceId)).toEqual(["small"])
  })

  it("try what failed with patience, while new changes of the workspace wait behind it", () => {
    const groups = makeCommitGroups<Change>()
    groups.add({ workspaceId: "one", monitorId: "mon_1", number: 0 })
    groups.add({ workspaceId: "other", monitorId: "mon_2", number: 1 })
    const shared = groups.take("prompt")
    expect(shared).toMatchObject({ kind: "shared", members: [{ number: 0 }, { number: 1 }] })
    if (shared === null) return
    groups.end(shared, shared.members, [])
    groups.add({ workspaceId: "one", monitorId: "mon_3", number: 2 })
    expect(groups.take("prompt")).toBeNull()
    expect(groups.take("patient")).toMatchObject({ kind: "workspace", members: [{ number: 0 }] })
    expect(groups.take("patient")).toMatchObject({ kind: "workspace", members: [{ number: 1 }] })
  })
})
