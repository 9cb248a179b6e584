import { z } from 'zod';
import { oneLine } from './fields.ts';

// What both items and the templates of projects consist of.

export const ITEM_TYPES = ['epic', 'feature', 'story', 'task', 'idea'] as const;
export const ItemType = z.enum(ITEM_TYPES);
export type ItemType = z.infer<typeof ItemType>;

export const PRIORITIES = ['low', 'medium', 'high', 'urgent'] as const;
export const Priority = z.enum(PRIORITIES);
export type Priority = z.infer<typeof Priority>;

export const Title = oneLine(500);
