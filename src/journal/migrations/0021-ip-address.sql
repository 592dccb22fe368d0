-- Whether a sale must name its customer's IP address.
alter table merchants add column require_ip_address boolean not null default true;
