/** When an invitation counts: a condition of every query of invitations, which it names `i`. */

/**
 * The inviter may still give its role. Otherwise an admin who is removed, or the holder of a stolen key, would have left a way back
 * in. An invitation by a key that has expired counts: the key gave it while it could.
 */
export const standingInvitation = `(
  exists (
    select from memberships b where b.workspace_id = i.workspace_id and b.user_id = i.invited_by
      and (b.role = 'owner' or b.role = 'admin' and i.role <> 'owner')
  ) or i.role <> 'owner' and exists (
    select from api_keys k left join memberships b on b.workspace_id = k.workspace_id and b.user_id = k.created_by
    where k.workspace_id = i.workspace_id and k.id = i.invited_by and k.revoked_at is null
      and (k.created_by is null or b.role in ('owner', 'admin'))
  ))`
