/** How a person is paged in a workspace: the ways with their tests and codes, and this device. */
import type { ContactWay } from "../../../../schema/oncall/Way.ts"
import { CallButton, CallForm, Field, Select, Submit, useAnswerOf } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { Island, Item, ListPanel, Panel, StateBadge, type Tone } from "../../design/Parts.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { workerPath } from "../../install/InstallRoutes.ts"

export type Ways = AnswerOf<"list_contact_ways">

export const kindNames: Readonly<Record<ContactWay["kind"], string>> = {
  email: "Email",
  push: "Push",
  sms: "SMS",
  voice: "Call",
  slack: "Slack",
  telegram: "Telegram",
  discord: "Discord"
}

const stateOf = ({ usable, verifiedAt }: ContactWay): readonly [Tone, string] =>
  usable ? ["good", "Used"] : verifiedAt === null ? ["warn", "Not verified"] : ["bad", "Not used"]

const Tested = ({ id }: { readonly id: string }) => {
  const answer = useAnswerOf(`test-${id}`, "test_contact_way")
  if (answer === null) return null
  return (
    <p class="note" role="status" data-answer>
      {answer.delivered ? "The test was handed over. It should be there in a moment." : `The test failed: ${answer.error ?? ""}`}
    </p>
  )
}

/** The name in lists of a way of Telegram whose person has not started the bot. */
const notLinked = "Not linked yet"

const Code = ({ id, userId }: { readonly id: string; readonly userId: string }) => (
  <CallForm call="verify_contact_way" id={`verify-${id}`} fixed={{ userId, id }} said="Verified" copy={false}>
    <Field
      name="code"
      label="Code"
      required
      hint="We sent it there. It is valid for 10 minutes."
      attributes={{ inputmode: "numeric", autocomplete: "one-time-code", maxlength: 20 }}
    />
    <Submit>Verify</Submit>
  </CallForm>
)

/** The person opens it on the phone or computer that has Telegram. */
const StartBot = ({ link }: { readonly link: string }) => (
  <p class="note" role="status" data-answer>
    <a href={link} rel="noreferrer">Open the bot in Telegram</a> and press Start within 10 minutes. Then reload this page.
  </p>
)

/** The proof of a way that is not verified: a code, or the link of a bot. */
const Proof = ({ id, kind, shown, userId }: {
  readonly id: string
  readonly kind: ContactWay["kind"]
  readonly shown: string
  readonly userId: string
}) => {
  const created = useAnswerOf("telegram", "create_contact_way")
  const again = useAnswerOf(`code-${id}`, "verify_contact_way")
  const link = again?.link ?? (created?.id === id ? created.link : undefined)
  if (link !== undefined) return <StartBot link={link} />
  return kind === "telegram" && shown === notLinked ? null : <Code id={id} userId={userId} />
}

const Way = ({ userId, way }: { readonly way: ContactWay; readonly userId: string }) => {
  const { id, kind, label, problem, shown, verifiedAt } = way
  return (
    <Item
      name={kind === "email" ? "Email" : label}
      note={`${kind === "email" ? "" : `${kindNames[kind]}, `}${shown}`}
      more={
        <>
          {problem === null ? null : <p class="note">{problem}</p>}
          {id === null ? null : <Tested id={id} />}
          {id === null || verifiedAt !== null ? null : <Proof id={id} kind={kind} shown={shown} userId={userId} />}
        </>
      }
    >
      <StateBadge of={stateOf(way)} />
      {id === null ? null : (
        <>
          {verifiedAt === null
            ? (
              <CallButton
                call="verify_contact_way"
                id={`code-${id}`}
                fixed={{ userId, id }}
                {...(shown === notLinked ? {} : { said: "A new code is on its way" })}
                look="plain tight"
              >
                {shown === notLinked ? "New link" : "New code"}
              </CallButton>
            )
            : <CallButton call="test_contact_way" id={`test-${id}`} fixed={{ userId, id }} look="plain tight">Test</CallButton>}
          <CallButton call="delete_contact_way" id={`delete-${id}`} fixed={{ userId, id }} said="Deleted" look="danger tight">
            Delete
          </CallButton>
        </>
      )}
    </Item>
  )
}

const Device = ({ pushKey, userId }: { readonly pushKey: string; readonly userId: string }) => (
  <Panel id="this-device" title="This device">
    <p>Get pages as notifications in this browser, even while Belltower is closed. Each has a button to acknowledge.</p>
    <Island name="device" keep props={{ form: "device", key: pushKey, worker: workerPath }}>
      <p class="note">This needs JavaScript and a browser that supports notifications.</p>
    </Island>
    <CallForm
      call="create_contact_way"
      id="device"
      fixed={{ userId, kind: "push" }}
      said="This device is paged"
      class="button-form"
      copy={false}
    >
      {["endpoint", "p256dh", "auth", "label"].map((name) => <input type="hidden" name={name} value="" />)}
    </CallForm>
  </Panel>
)

const phoneKinds: ReadonlyArray<ContactWay["kind"]> = ["sms", "voice"]

const Phone = ({ kinds, userId }: { readonly kinds: ReadonlyArray<ContactWay["kind"]>; readonly userId: string }) => (
  <Panel id="add-phone" title="Add a phone">
    <p class="note">
      You get a code, and are paged there once you have entered it. A text has a link that acknowledges; in a call, press 1.
    </p>
    <CallForm call="create_contact_way" id="phone" fixed={{ userId }} said="We sent a code there. Enter it above.">
      <Select
        name="kind"
        label="By"
        value={kinds[0] ?? ""}
        options={kinds.map((kind) => [kind, kind === "sms" ? "Text message" : "Call"])}
      />
      <Field
        name="phone"
        as="word"
        label="Number"
        required
        hint="With country code, for example +4930123456"
        attributes={{ maxlength: 16, inputmode: "tel", autocomplete: "tel" }}
      />
      <Field name="label" label="Name" hint="Such as Sam's phone" attributes={{ maxlength: 80, autocomplete: "off" }} />
      <Submit>Send the code</Submit>
    </CallForm>
  </Panel>
)

/** A chat whose members are known by an id. `hint` says where theirs is found. */
const MemberForm = ({ attributes = {}, hint, kind, required, userId }: {
  readonly kind: "slack" | "discord"
  readonly userId: string
  readonly hint: string
  readonly required: boolean
  readonly attributes?: Readonly<Record<string, string>>
}) => (
  <CallForm
    call="create_contact_way"
    id={kind}
    fixed={{ userId, kind }}
    said={`We sent a code to you in ${kindNames[kind]}. Enter it above.`}
  >
    <Field
      name="member"
      as={required ? "word" : "word?"}
      label={`${kindNames[kind]} ${kind === "slack" ? "member" : "user"} ID`}
      required={required}
      hint={hint}
      attributes={{ maxlength: 80, autocomplete: "off", ...attributes }}
    />
    <Submit>Add {kindNames[kind]}</Submit>
  </CallForm>
)

const discordHint = "Switch on Developer Mode (Settings, Advanced), then copy the ID from the menu of your profile. " +
  "You and the bot must share a server"

const Chat = ({ kinds, userId }: { readonly kinds: ReadonlyArray<ContactWay["kind"]>; readonly userId: string }) => (
  <Panel id="add-chat" title="Add a chat">
    <p class="note">Pages there have buttons that act in your name, if the workspace's channel has buttons.</p>
    {kinds.includes("slack")
      ? <MemberForm kind="slack" userId={userId} required={false} hint="Default: the member with your email address" />
      : null}
    {kinds.includes("telegram")
      ? (
        <CallButton call="create_contact_way" id="telegram" fixed={{ userId, kind: "telegram" }}>
          Add Telegram
        </CallButton>
      )
      : null}
    {kinds.includes("discord")
      ? <MemberForm kind="discord" userId={userId} required hint={discordHint} attributes={{ inputmode: "numeric" }} />
      : null}
  </Panel>
)

const chatKinds: ReadonlyArray<ContactWay["kind"]> = ["slack", "telegram", "discord"]

const Drill = ({ userId }: { readonly userId: string }) =>
  useMay("create_drill")
    ? (
      <Panel id="drill" title="Test your contact methods">
        <p class="note">Sends a test incident, marked [Drill], by each contact method and shows whether it arrived.</p>
        <CallButton call="create_drill" id="person-drill" fixed={{ person: userId }} then="/app/drills/{id}">
          Send a test to each
        </CallButton>
      </Panel>
    )
    : null

export const WaysPanel = ({ userId, ways }: { readonly ways: Ways; readonly userId: string }) => (
  <>
    <ListPanel id="contact-ways" title="Contact methods" none="No page can reach you: add a contact method.">
      {ways.data.map((way) => <Way way={way} userId={userId} />)}
    </ListPanel>
    <Drill userId={userId} />
    {ways.pushKey === null ? null : <Device pushKey={ways.pushKey} userId={userId} />}
    {ways.kinds.some((kind) => phoneKinds.includes(kind))
      ? <Phone kinds={ways.kinds.filter((kind) => phoneKinds.includes(kind))} userId={userId} />
      : null}
    {ways.kinds.some((kind) => chatKinds.includes(kind)) ? <Chat kinds={ways.kinds} userId={userId} /> : null}
  </>
)
