/** Giving a role and deleting it take their turns: nobody is left with a role that is gone. */
export const ROLES_TURN = 'roles';
