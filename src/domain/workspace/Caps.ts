/** The caps: how many of each resource a workspace or a page can have, whatever its plan. The operator can change them. */
import { Either, Number as Num, Option, Struct } from "effect"
import { ValidationFailed } from "../../../schema/Errors.ts"

/** The most of one resource; null is unlimited. Until a human claims the workspace, the smaller of the two counts. */
interface Cap {
  readonly most: number | null
  readonly unclaimed: number | null
}

/** The resources with a cap. A new kind of resource takes a line here and one in `src/store/workspace/CountedRows.ts`. */
export const defaultCaps = {
  monitors: { most: null, unclaimed: 500 },
  channels: { most: 500, unclaimed: 50 },
  pages: { most: 200, unclaimed: 20 },
  components: { most: 500, unclaimed: 100 },
  groups: { most: 100, unclaimed: null },
  templates: { most: 200, unclaimed: null },
  images: { most: 300, unclaimed: 20 },
  mutes: { most: 200, unclaimed: null },
  schedules: { most: 100, unclaimed: null },
  policies: { most: 100, unclaimed: null },
  keys: { most: 500, unclaimed: null },
  members: { most: 1_000, unclaimed: null }
} as const satisfies Record<string, Cap>
export type CapName = keyof typeof defaultCaps
export type Caps = Readonly<Record<CapName, Cap>>

const names = {
  monitors: "monitors",
  channels: "alert channels",
  pages: "status pages",
  components: "components",
  groups: "component groups",
  templates: "incident templates",
  images: "images",
  mutes: "mutes that run at the same time",
  schedules: "on-call schedules",
  policies: "escalation policies",
  keys: "API keys",
  members: "members, including pending invitations"
} as const satisfies Record<CapName, string>

/** These are counted on one page; all others in the workspace. */
const onPage: ReadonlyArray<CapName> = ["components", "groups"]

const smaller = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Num.min(one, other)

/** The number that counts for a workspace; null is unlimited. */
export const capOf = ({ most, unclaimed }: Cap, claimed: boolean): number | null => claimed ? most : smaller(most, unclaimed)

const owner = (name: CapName, unclaimed: boolean) =>
  onPage.includes(name)
    ? (unclaimed ? "A page of an unclaimed workspace" : "A page")
    : unclaimed
    ? "An unclaimed workspace"
    : "A workspace"

/** How many of a resource exist and are wanted. */
interface CapWish {
  readonly name: CapName
  readonly had: number
  readonly wanted: number
}

/** Why the caps refuse a change; null if they allow it. What exists stays, even above a cap that became smaller. */
export const capRefusal = (caps: Caps, claimed: boolean, { had, name, wanted }: CapWish): ValidationFailed | null => {
  const cap = capOf(caps[name], claimed)
  if (cap === null || wanted <= had || wanted <= cap) return null
  const lifted = capOf(caps[name], true) !== cap
  return new ValidationFailed({
    message: `${owner(name, lifted)} can have at most ${cap} ${names[name]}`,
    hint: lifted
      ? "A claimed workspace can have more: give the claimUrl from POST /api/v1/agent/bootstrap to a human, who opens it and signs in"
      : "Delete what you no longer need, then try again"
  })
}

const isCapName = (name: string): name is CapName => Object.hasOwn(defaultCaps, name)

/** One item of the setting, such as `channels=1000` or `unclaimed.pages=5`; 0 is unlimited. */
const parseItem = (item: string): Either.Either<readonly [name: CapName, field: keyof Cap, value: number | null], string> => {
  const [, unclaimed, name = "", digits = ""] = /^(unclaimed\.)?([a-z]+)=(\d{1,9})$/.exec(item) ?? []
  if (!isCapName(name)) {
    return Either.left(`"${item.slice(0, 60)}" is not name=number with one of the names ${Struct.keys(defaultCaps).join(", ")}`)
  }
  const value = Option.getOrElse(Num.parse(digits), () => 0)
  return Either.right([name, unclaimed === undefined ? "most" : "unclaimed", value === 0 ? null : value])
}

/** The default caps with the changes that a setting lists, or the problem with the first invalid item. */
export const parseCaps = (items: ReadonlyArray<string>): Either.Either<Caps, string> =>
  Either.map(Either.all(items.map(parseItem)), (changes) => {
    const caps: Record<CapName, Cap> = { ...defaultCaps }
    for (const [name, field, value] of changes) caps[name] = { ...caps[name], [field]: value }
    return caps
  })
