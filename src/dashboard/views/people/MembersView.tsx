/** The members of the workspace, with their roles, and pending invitations. */
import type { Member } from "../../../../schema/workspace/Member.ts"
import { Role } from "../../../../schema/workspace/Workspace.ts"
import { inviteRefusal, removalRefusal, roleRefusal } from "../../../domain/workspace/Membership.ts"
import { BareSelect } from "../../design/BareControls.tsx"
import { Confirm } from "../../design/Confirm.tsx"
import { CallForm, Field, Select, Submit } from "../../design/Form.tsx"
import { May } from "../../design/May.tsx"
import { Badge, inWords, Panel, StateBadge } from "../../design/Parts.tsx"
import { RecordTable } from "../../design/Table.tsx"
import { Ago, Moment } from "../../design/Time.tsx"
import { read, view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"

const useMyRole = (): Role => useVisit().workspace?.role ?? "viewer"

/** More than one owner: whether one is the last, the operation says. */
const severalOwners = 2

/** The roles that nothing refuses, as options. */
const rolesWithout = (refusal: (role: Role) => unknown) =>
  Role.literals.filter((role) => refusal(role) === null).map((role) => [role, inWords(role)] as const)

const ChangeRole = ({ member }: { readonly member: Member }) => {
  const { email, id, name, role } = member
  const mine = useMyRole()
  const options = rolesWithout((to) => roleRefusal(mine, member, to, severalOwners))
  return options.length === 0 ? <>{inWords(role)}</> : (
    <CallForm
      call="update_member"
      id={`role-${id}`}
      fixed={{ id }}
      said="Role changed"
      class="inline"
      copy={false}
      otherwise={inWords(role)}
    >
      <BareSelect name="role" label={`Role of ${name ?? email}`} value={role} options={options} />
      <button class="plain tight">Change</button>
    </CallForm>
  )
}

const RemoveMember = ({ member: { email, id, status }, self }: { readonly member: Member; readonly self: boolean }) => (
  <Confirm
    call="remove_member"
    id={`remove-${id}`}
    fixed={{ id }}
    then={self ? "/app/workspaces" : "/app/members"}
    said={status === "invited" ? "Invitation cancelled" : `${email} no longer has access`}
    label={status === "invited" ? "Cancel invitation" : self ? "Leave" : "Remove"}
    lost={status === "invited"
      ? `The link in the invitation to ${email} stops working.`
      : self
      ? "You lose access immediately. The last owner cannot leave: make another member an owner first."
      : `${email} loses access immediately, and their on-call overrides end. API keys that they created are revoked, unless you keep them.`}
  >
    {status === "invited" ? null : (
      <Select
        name="keys"
        label="Their API keys"
        options={[["revoke", "Revoke them"], ["keep", "Keep them; they become mine"]]}
      />
    )}
  </Confirm>
)

const Status = ({ member: { createdAt, expiresAt, mail, status } }: { readonly member: Member }) =>
  status === "active"
    ? (
      <span>
        <Badge tone="good">Active</Badge>{" "}
        <span class="note">
          since <Moment at={createdAt} style="day" />
        </span>
      </span>
    )
    : (
      <span>
        <StateBadge of={mail === "captured" ? ["warn", "Invited, mail captured"] : ["calm", "Invited"]} />{" "}
        {expiresAt === null ? null : (
          <span class="note">
            expires <Ago at={expiresAt} />
          </span>
        )}
      </span>
    )

const Members = ({ members }: { readonly members: ReadonlyArray<Member> }) => {
  const { person } = useVisit()
  const mine = useMyRole()
  return (
    <Panel id="members" title="Members" flush>
      <RecordTable
        of={members}
        idOf={({ id }) => id}
        columns={[
          {
            name: "Person",
            cell: ({ email, name }) => (
              <>
                <b>{name ?? email}</b>
                {name === null ? null : <p class="note">{email}</p>}
              </>
            )
          },
          { name: "Status", cell: (member) => <Status member={member} /> },
          { name: "Role", cell: (member) => <ChangeRole member={member} /> }
        ]}
        actions={{
          class: "end",
          cell: (member) => {
            const self = member.userId === person.userId
            return removalRefusal(mine, member, self, severalOwners) === null
              ? <RemoveMember member={member} self={self} />
              : null
          }
        }}
      />
    </Panel>
  )
}

const Invite = () => {
  const { capturesMail } = useVisit()
  const mine = useMyRole()
  return (
    <Panel id="invite" title="Invite someone">
      <CallForm
        call="invite_member"
        id="invite-form"
        said={capturesMail
          ? "Invitation captured, not sent: no mail server is set. Hand on its link from Mail"
          : "Invitation sent"}
        otherwise={<p class="note">Admins and owners invite people.</p>}
      >
        <Field name="email" type="email" label="Email" required attributes={{ maxlength: 254, autocomplete: "off" }} />
        <Select
          name="role"
          label="Role"
          value="member"
          options={rolesWithout((role) => inviteRefusal(mine, role))}
          hint="Owners do everything. Admins do all except manage owners and delete the workspace. Members change monitors, pages and incidents. Viewers only read."
        />
        <Submit>{capturesMail ? "Create invitation" : "Send invitation"}</Submit>
        {capturesMail
          ? (
            <p class="note">
              No mail server is set, so the invitation is captured, not sent. The owner of the workspace finds its link under{" "}
              <a href="/app/mail">Mail</a>.
            </p>
          )
          : null}
      </CallForm>
    </Panel>
  )
}

export const membersView = view("/app/members", "members", function*() {
  const { data } = yield* read("list_members")
  return {
    title: "Members",
    head: {
      note: "Who has access to this workspace, and what they may do.",
      actions: (
        <May call="invite_member">
          <a class="button" href="#invite">Invite someone</a>
        </May>
      )
    },
    stack: [<Members members={data} />, <Invite />]
  }
})
