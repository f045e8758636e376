/** Subscribing to a status page: one form for mail, Slack, Discord and webhooks, and links to the feeds. It needs no script. */
import { type SubscriberType, SubscriptionKind } from "../../../schema/subscriber/Subscriber.ts"
import type { SettledPage } from "../../domain/page/PageDefaults.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import type { SubscriptionWords } from "../../domain/words/en.ts"

interface Subscribable {
  readonly url: string
  readonly subscriptions: Partial<SettledPage["settings"]["subscriptions"]>
}

export interface Choosable {
  readonly id: string
  readonly name: string
  readonly group: string | null
}

/** The components of a page that a subscriber chooses among. */
export interface Offer<A extends Choosable> {
  readonly components: ReadonlyArray<A>
  readonly groups: ReadonlyArray<{ readonly id: string; readonly name: string }>
}

export interface SubscribeFormProps extends Subscribable, Offer<Choosable & { readonly key: string }> {
  readonly words: SubscriptionWords
  readonly chosen: ReadonlySet<string>
  /** The values that a refused form had in its fields. */
  readonly typed?: URLSearchParams | undefined
  /** Asks for no choice of news and components. */
  readonly isShort?: boolean
  /** Whether the address was refused: an element with the id `wrong` says why. */
  readonly isWrong?: boolean
}

/** Above this many components, those in groups are folded. */
const mostListed = 16

export const ComponentBoxes = <A extends Choosable>({ components, groups, isChosen, words }: Offer<A> & {
  readonly isChosen: (component: A) => boolean
  readonly words: SubscriptionWords
}) => {
  const box = (component: A) => (
    <label class="check">
      <input type="checkbox" name="component" value={component.id} checked={isChosen(component)} />
      {component.name}
    </label>
  )
  const folded = components.length <= mostListed
    ? []
    : groups.map(({ id, name }) => ({ id, name, inside: components.filter(({ group }) => group === id) }))
      .filter(({ inside }) => inside.length > 0)
  const listed = components.filter(({ group }) => !folded.some(({ id }) => id === group))
  return (
    <fieldset class="choices">
      <legend>{words.components}</legend>
      <p class="note">{words.noneIsAll}</p>
      {listed.map(box)}
      {folded.map(({ inside, name }) => (
        <details open={inside.some(isChosen)}>
          <summary>{name}</summary>
          {inside.map(box)}
        </details>
      ))}
    </fieldset>
  )
}

/** The kinds of news that a type of subscription can get. */
export const kindsFor = (type: SubscriberType): ReadonlyArray<SubscriptionKind> =>
  SubscriptionKind.literals.filter((kind) => kind !== "components" || type === "webhook")

/** All are chosen at first. Where the form offers several types, the style sheet shows what only webhooks get with them. */
export const KindBoxes = ({ chosen, offered, words }: {
  /** Empty for all. */
  readonly chosen: ReadonlyArray<SubscriptionKind>
  readonly offered: ReadonlyArray<SubscriptionKind>
  readonly words: SubscriptionWords
}) => (
  <fieldset class="choices">
    <legend>{words.aboutWhat}</legend>
    {offered.map((kind) => (
      <label class={`check kind-${kind}`}>
        <input type="checkbox" name="kind" value={kind} checked={chosen.length === 0 || chosen.includes(kind)} />
        {words.kinds[kind]}
      </label>
    ))}
  </fieldset>
)

const labels: Record<SubscriberType, (words: SubscriptionWords) => string> = {
  email: ({ byEmail }) => byEmail,
  slack: () => "Slack",
  discord: () => "Discord",
  webhook: () => "Webhook"
}

/** Discord goes with Slack, because pages have one setting for both. */
export const offeredTypes = ({ email, slack, webhook }: Subscribable["subscriptions"]): ReadonlyArray<SubscriberType> => [
  ...(email === false ? [] : ["email" as const]),
  ...(slack === false ? [] : ["slack" as const, "discord" as const]),
  ...(webhook === false ? [] : ["webhook" as const])
]

export const isSubscribable = (subscriptions: Subscribable["subscriptions"]): boolean =>
  offeredTypes(subscriptions).length > 0 || subscriptions.rss !== false

/** The address or the URL, with what each type of subscription asks for. */
const Address = ({ isWrong, type, typed, types, words }: Pick<SubscribeFormProps, "typed" | "words"> & {
  readonly types: ReadonlyArray<SubscriberType>
  readonly type: SubscriberType | undefined
  readonly isWrong: boolean
}) => {
  const refused = isWrong ? { "aria-invalid": "true", "aria-describedby": "wrong", "autofocus": true } as const : {}
  return (
    <>
      {types.includes("email")
        ? (
          <label class="field to-email">
            {words.email}
            <input
              type="email"
              name="email"
              value={typed?.get("email") ?? ""}
              maxlength={254}
              autocomplete="email"
              {...(type === "email" ? refused : {})}
            />
          </label>
        )
        : null}
      {types.some((type) => type !== "email")
        ? (
          <label class="field to-url">
            {words.webhookUrl}
            <input
              inputmode="url"
              name="url"
              value={typed?.get("url") ?? ""}
              maxlength={1000}
              placeholder="https://"
              autocomplete="off"
              autocapitalize="none"
              {...(type === "email" ? {} : refused)}
            />
          </label>
        )
        : null}
      {types.includes("slack") ? <p class="note hint to-slack">{words.incomingWebhook("Slack")}</p> : null}
      {types.includes("discord") ? <p class="note hint to-discord">{words.incomingWebhook("Discord")}</p> : null}
      {types.includes("webhook") ? <p class="note hint to-webhook">{words.webhookHint}</p> : null}
    </>
  )
}

/**
 * Posts to the page that shows it, under whatever host that is. The fields that a type does not need are hidden by the style sheet; a
 * browser that cannot do that shows them all.
 */
export const SubscribeForm = (
  { chosen, components, groups, isShort = false, isWrong = false, subscriptions, typed, words }: SubscribeFormProps
) => {
  const types = offeredTypes(subscriptions)
  if (types.length === 0) return null
  const type = types.find((one) => one === typed?.get("type")) ?? types[0]
  const kinds = SubscriptionKind.literals.filter((kind) => typed?.getAll("kind").includes(kind) === true)
  return (
    <form method="post" action="?subscribe" class="form">
      <fieldset class="kinds">
        <legend>{words.how}</legend>
        {types.map((one) => (
          <label>
            <input type="radio" name="type" value={one} checked={one === type} />
            <span>{labels[one](words)}</span>
          </label>
        ))}
      </fieldset>
      <Address types={types} type={type} typed={typed} isWrong={isWrong} words={words} />
      {isShort
        ? null
        : <KindBoxes chosen={kinds} offered={kindsFor(types.includes("webhook") ? "webhook" : "email")} words={words} />}
      {components.length === 0 ? null : (
        <ComponentBoxes
          components={components}
          groups={groups}
          isChosen={({ id, key }) => chosen.has(id) || chosen.has(key)}
          words={words}
        />
      )}
      <button class="button">{words.subscribe}</button>
    </form>
  )
}

export const FeedLinks = ({ subscriptions, url, words }: Subscribable & { readonly words: SubscriptionWords }) =>
  subscriptions.rss === false ? null : (
    <p class="feeds">
      <span>{words.followFeed}</span> <a href={`${url}/feed.rss`}>RSS</a> <a href={`${url}/feed.atom`}>Atom</a>
    </p>
  )

/**
 * The dialog of a status page. `popover` opens and closes it without a script; a browser that does not know the attribute shows it
 * at the end of the page.
 */
export const SubscribeDialog = ({ name, words, ...subscribable }: Subscribable & {
  readonly name: string
  readonly words: SubscriptionWords
}) => (
  <div popover="auto" id="subscribe" role="dialog" aria-labelledby="subscribe-title" class="dialog">
    <div class="dialog-head">
      <h2 id="subscribe-title">{words.subscribeTo(isolated(name))}</h2>
      <button type="button" class="x" popovertarget="subscribe" popovertargetaction="hide" aria-label={words.close}>×</button>
    </div>
    <SubscribeForm {...subscribable} words={words} components={[]} groups={[]} chosen={new Set()} isShort />
    <p class="note">
      <a href={`${subscribable.url}/subscribe`}>{words.aboutWhat}…</a>
    </p>
    <FeedLinks {...subscribable} words={words} />
  </div>
)
