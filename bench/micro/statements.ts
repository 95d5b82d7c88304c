// The statements that the micro benchmarks measure parts with.
export const LOOKUP =
  'select id, name, image, owner from rigs_31337_2 where id = 1234 and minted_at < 2000000017';
export const JOIN =
  'select rigs.id, rigs.name, rigs.image, parts.trait_type, parts.value from rigs_31337_2 as rigs ' +
  'join rig_attributes_31337_3 as parts on parts.rig_id = rigs.id ' +
  "where rigs.id = 1234 and parts.trait_type <> 'Backdrop' order by parts.trait_type";
export const METADATA =
  "select json_object('name', rigs.name, 'image', image, 'attributes', json_group_array(json_object(" +
  "'trait_type', trait_type, 'value', value))) from rigs_31337_2 as rigs join rig_attributes_31337_3 as " +
  'attributes on attributes.rig_id = rigs.id where rigs.id = 7 group by rigs.id';
/** As long as a statement may be. */
export const LONG = `select id from rigs_31337_2 where id in (${Array.from({ length: 5_900 }, (_, index) => 1000 + index).join(',')})`;
